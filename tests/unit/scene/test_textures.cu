// Texture lookups at known coordinates, and the mip levels selected by ray cones.
#include <array>
#include <cmath>

#include "accel/bvh/traversal/any_tracer.h"
#include "accel/tree_builder.h"
#include "core/device/parallel_for.h"
#include "renderer/scene/live/live_scene.h"
#include "renderer/scene/live/mip_maps.h"
#include "renderer/whitted/follow_rays.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {

constexpr float kLevels = 8;  // mip levels of a texture of 256 x 256, besides the finest

/// 2 x 2 linear texels: 0 and 1/5 above, 2/5 and 1 below.
Texture four_texels() {
    Texture texture{"four", 2, 2, {0, 0, 0, 255, 51, 0, 0, 255, 102, 0, 0, 255, 255, 0, 0, 255}};
    texture.is_srgb = false;
    return texture;
}

/// The red channel of a texture at given coordinates; that of a normal map if `holds_normals`.
std::vector<float> reds(Stream& stream, const Texture& texture, TextureFilter filter,
                        const std::vector<vec2>& places, bool holds_normals = false) {
    Scene scene;
    scene.textures = {texture};
    scene.materials.resize(1);
    if (holds_normals) scene.materials[0].normal_texture = 0;
    LiveTextures textures(stream, scene);
    SceneView view;
    textures.show(view);
    view.texture_filter = filter;
    DeviceArray<vec2> uvs(stream, places);
    DeviceArray<float> out(stream, places.size());
    auto in_view = uvs.view();
    auto out_view = out.view();
    parallel_for(
        stream, "sample", static_cast<std::uint32_t>(places.size()),
        TL_LAMBDA(std::uint32_t i) { out_view[i] = sample_texture(view, 0, in_view[i], 0).x; });
    return out.download(stream);
}

void expect_reds(const std::vector<float>& found, const std::vector<float>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 2e-5f) << i;
}

/// Kernel body for each kind of tracer: computes the radiance of one ray.
struct FollowPass {
    Stream& stream;
    WhittedFrame frame;
    PathRay ray;
    View<vec3> out;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        WhittedFrame frame = this->frame;
        PathRay ray = this->ray;
        auto out = this->out;
        parallel_for(
            stream, "follow", 1, TL_LAMBDA(std::uint32_t) {
                std::uint32_t n_rays = 0;
                out[0] = follow_depth_first<false>(tracer, frame, ray, vec3(1), n_rays);
            });
    }
};

/// A square of 4 x 4 m at height y, facing up or down, with texture coordinates from 0 to 1.
Mesh square_at(float y, bool faces_up, std::int32_t material) {
    Mesh mesh;
    mesh.positions = {{-2, y, 2}, {2, y, 2}, {2, y, -2}, {-2, y, -2}};
    mesh.uvs = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    if (!faces_up) mesh.triangles = {{0, 2, 1}, {0, 3, 2}};
    mesh.material_of_triangle = {material, material};
    return mesh;
}

/// A floor at y = 0 whose texture has 256 x 256 texels, and a second material, a mirror.
Scene textured_floor() {
    Scene scene;
    Material floor, mirror;
    floor.diffuse = vec3(1);
    floor.diffuse_texture = 0;
    mirror.kind = MaterialKind::mirror;
    mirror.specular = vec3(1);
    scene.materials = {floor, mirror};
    scene.textures = {{"floor", 256, 256, std::vector<std::uint8_t>(4 * 256 * 256, 255)}};
    scene.meshes = {square_at(0, true, 0)};
    return scene;
}

/// The mip level at which a ray of that cone, from (0.1, 1, 0.2) straight up or down, sees the
/// floor's texture: its levels are coloured by their number.
float seen_level(Stream& stream, Scratch& scratch, const Scene& scene, float direction_y,
                 float spread) {
    LiveScene live(stream, std::make_shared<Scene>(scene));
    live.set_builder(make_tree_builder("hploc", stream.device()));
    StageTimer timer(stream);
    live.update(scratch, timer);
    MipMap map = make_mip_map(scene.textures[0], false);
    for (std::size_t l = 0; l < map.levels.size(); ++l) {
        auto end = l + 1 < map.levels.size() ? map.levels[l + 1].first_texel : map.texels.size();
        for (auto i = map.levels[l].first_texel; i < end; ++i)
            map.texels[i].r = static_cast<std::uint16_t>(65535 * float(l) / kLevels);
    }
    DeviceArray<Texel> texels(stream, map.texels);
    DeviceArray<vec3> out(stream, 1);
    WhittedConfig config;
    config.ambient = 1;
    WhittedFrame frame{{live.view(), SamplePattern::sobol, 1, 0, {}}, config};
    frame.scene.texels = texels.data();
    PathRay ray{vec3(0.1f, 1, 0.2f),        0, vec3(0, direction_y, 0), 1, vec3(1), 0,
                PackedCone::of({0, spread})};
    visit_any_tracer(frame.scene.tree, FollowPass{stream, frame, ray, out.view()});
    return kLevels * out.download(stream)[0].x;
}

/// Cones are kept to 8 binary digits.
constexpr float kLevelTolerance = 0.02f;

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Textures, NearestGivesTheTexelOfThePlace) {
    // (0, 0) is the lower left corner.
    expect_reds(reds(stream, four_texels(), TextureFilter::nearest,
                     {{0.1f, 0.1f}, {0.9f, 0.4f}, {0.4f, 0.9f}, {0.6f, 0.6f}}),
                {0.4f, 1, 0, 0.2f});
}

TL_DEVICE_TEST(Textures, SixteenBitsOfAFileAreAllSampled) {
    // 1, 257, 32,769 and 65,534 of 65,535: none of them is a value of 8 bits but the second.
    Texture texture = four_texels();
    for (std::size_t i = 0; i < 4; ++i) {
        int value = std::array{1, 257, 32769, 65534}[i];
        texture.rgba[4 * i] = static_cast<std::uint8_t>(value >> 8);
        texture.lower.insert(texture.lower.end(), {static_cast<std::uint8_t>(value), 0, 0, 255});
    }
    auto found = reds(stream, texture, TextureFilter::nearest,
                      {{0.1f, 0.9f}, {0.9f, 0.9f}, {0.1f, 0.1f}, {0.9f, 0.1f}});
    const float right[] = {1, 257, 32769, 65534};
    // A float near 1 has steps of 1/256 of these values.
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i] * 65535, right[i], 0.01f) << i;
    // The middle of a normal map is 128 of 8 bits; 1 / 32,767 beside it, and nearly 1.
    found = reds(stream, texture, TextureFilter::nearest, {{0.1f, 0.1f}, {0.9f, 0.1f}}, true);
    float beside = (found[0] * 255 - 128) / 127, last = (found[1] * 255 - 128) / 127;
    constexpr float kHalfStep = 0.55f / 257 / 127;  // of a texel, and the rounding of floats
    EXPECT_NEAR(beside, 1 / 32767.0f, kHalfStep);
    EXPECT_NEAR(last, 32766 / 32767.0f, kHalfStep);
}

TL_DEVICE_TEST(Textures, BilinearGoesStraightFromTexelToTexel) {
    for (auto filter : {TextureFilter::bilinear, TextureFilter::mip})
        expect_reds(
            reds(stream, four_texels(), filter,
                 {{0.25f, 0.75f}, {0.75f, 0.75f}, {0.25f, 0.25f}, {0.5f, 0.5f}, {0.375f, 0.25f}}),
            {0, 0.2f, 0.4f, 0.4f, 0.55f});
}

TL_DEVICE_TEST(Textures, WrapSaysWhatLiesBeyondTheEdges) {
    const std::vector<vec2> places{{0, 0.25f}, {1.25f, 0.25f}, {-0.25f, 2.25f}, {3.75f, -0.75f}};
    const std::pair<TextureWrap, std::vector<float>> cases[] = {
        {TextureWrap::repeat, {0.7f, 0.4f, 1, 1}},
        {TextureWrap::clamp, {0.4f, 1, 0, 1}},
        {TextureWrap::mirror, {0.4f, 1, 0.4f, 0.0f}}};
    for (auto& [wrap, expected] : cases) {
        Texture texture = four_texels();
        texture.wrap_u = texture.wrap_v = wrap;
        expect_reds(reds(stream, texture, TextureFilter::bilinear, places), expected);
    }
}

TL_DEVICE_TEST(Textures, PlacesThatAreNoneAreNoCrash) {
    float nan = std::nanf("");
    for (auto filter : {TextureFilter::nearest, TextureFilter::bilinear})
        (void)reds(stream, four_texels(), filter, {{nan, 0}, {INFINITY, 1e30f}, {-1e30f, nan}});
}

TL_DEVICE_TEST(RayCones, TheLevelFollowsTheDistance) {
    // 1 m away, a spread of s covers s m of 64 texels a metre.
    for (float level : {0.5f, 1.0f, 2.25f, 5.0f, 7.5f})
        EXPECT_NEAR(seen_level(stream, scratch, textured_floor(), -1, std::exp2(level) / 64), level,
                    kLevelTolerance);
    EXPECT_EQ(seen_level(stream, scratch, textured_floor(), -1, 0.5f / 64), 0);
    EXPECT_NEAR(seen_level(stream, scratch, textured_floor(), -1, 1e3f), kLevels, 1e-3f);
}

TL_DEVICE_TEST(RayCones, FlatMirrorsOnlyAddTheirWay) {
    Scene scene = textured_floor();
    scene.meshes.push_back(square_at(3, false, 1));
    float spread = 0.02f;  // over 2 m up and 3 m down
    EXPECT_NEAR(seen_level(stream, scratch, scene, 1, spread), std::log2(5 * spread * 64),
                kLevelTolerance);
}

TL_DEVICE_TEST(RayCones, CurvedMirrorsSpreadThem) {
    // A ray at an angle s hits the ball 2 s off its axis, where the normal (radius 8) is rotated by
    // s / 4. It leaves at an angle of 1.5 s: after 3 m it is 6.5 s off.
    Scene scene = textured_floor();
    scene.spheres = {{vec3(0.1f, 11, 0.2f), 8, 1}};
    float spread = 0.02f;
    EXPECT_NEAR(seen_level(stream, scratch, scene, 1, spread), std::log2(6.5f * spread * 64),
                kLevelTolerance);
    // The ball seen from inside is concave: 5 m up the ray is 5 s off and leaves at -s / 4.
    scene.spheres = {{vec3(0.1f, -2, 0.2f), 8, 1}};
    EXPECT_NEAR(seen_level(stream, scratch, scene, 1, spread),
                std::log2((5 - 6 * 0.25f) * spread * 64), kLevelTolerance);
}

TL_DEVICE_TEST(RayCones, FourBytesKeepThemToAHundredth) {
    for (float width : {0.0f, 1e-9f, 0.37f, 4e7f})
        for (float spread : {0.0f, 1e-3f, -0.9f, 77.0f}) {
            RayCone kept = PackedCone::of({width, spread}).cone();
            EXPECT_NEAR(kept.width, width, 0.004f * width);
            EXPECT_NEAR(kept.spread, spread, 0.004f * std::fabs(spread));
        }
}
