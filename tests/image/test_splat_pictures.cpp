// Pictures of a sphere of splats are those of the sphere.
#include <gtest/gtest.h>

#include "renderer/images/metrics.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"
#include "tests/unit/splats/splat_scenes.h"
#include "tests/unit/temp_folder.h"

namespace tl::splat_pictures_tests {
namespace {

using test::mean_difference;
using test::render_radiance;

constexpr Extent kExtent{120, 90};

Material of_kind(MaterialKind kind) {
    Material m;
    m.kind = kind;
    if (kind != MaterialKind::diffuse) m.specular = vec3(0.9f);
    if (kind == MaterialKind::phong) m.specular = vec3(0.3f);
    return m;
}

/// A sphere on a striped floor, under a point light and a sky; exact for no splats.
Scene sphere_on_floor(const Material& material, std::size_t n_splats) {
    Scene scene;
    Material light, dark;
    dark.diffuse = vec3(0.15f, 0.2f, 0.3f);
    scene.materials = {material, light, dark};
    Mesh floor;
    for (int i = 0; i < 12; ++i) {
        auto first = static_cast<std::uint32_t>(floor.positions.size());
        auto x = static_cast<float>(i - 6);
        floor.positions.insert(floor.positions.end(),
                               {{x, -1, -6}, {x, -1, 6}, {x + 1, -1, 6}, {x + 1, -1, -6}});
        floor.triangles.push_back({first, first + 1, first + 2});
        floor.triangles.push_back({first, first + 2, first + 3});
        floor.material_of_triangle.resize(floor.triangles.size(), 1 + i % 2);
    }
    scene.meshes = {floor};
    if (n_splats > 0)
        scene.splats = test::splat_sphere(n_splats, 0);
    else
        scene.spheres = {{{0, 0, 0}, 1, 0}};
    Light lamp;
    lamp.position = {3, 4, 2};
    lamp.radiance = vec3(60);
    scene.lights = {lamp};
    scene.background = {0.3f, 0.4f, 0.6f};
    scene.camera = {{0.5f, 1.2f, 4}, {0, -0.1f, 0}, {0, 1, 0}, 38};
    return scene;
}

ImageF picture(const Material& material, std::size_t n_splats, const std::string& renderer, int spp,
               Extent extent = kExtent) {
    Scene scene = sphere_on_floor(material, n_splats);
    scene.settings["render"]["renderer"] = renderer;
    return render_radiance(*devices().front(), std::make_shared<Scene>(std::move(scene)), extent,
                           spp);
}

double mean_of(const ImageF& image) {
    return mean_difference(image, ImageF{image.extent, std::vector<vec3>(image.rgb.size())});
}

/// The mean difference between the pictures of splats and sphere, as part of the mean radiance.
double difference(MaterialKind kind, const std::string& renderer, int spp) {
    ImageF splats = picture(of_kind(kind), 30'000, renderer, spp);
    ImageF sphere = picture(of_kind(kind), 0, renderer, spp);
    double part = mean_difference(splats, sphere) / mean_of(sphere);
    std::printf("%s, kind %d: mean difference %.3f %%\n", renderer.c_str(), static_cast<int>(kind),
                100 * part);
    return part;
}

TEST(SplatPictures, AMattSphereIsLitAndShadowedLikeTheTrueOne) {
    // Pixels along the outline and the edge of the shadow differ where a disc's rim stands out.
    EXPECT_LT(difference(MaterialKind::diffuse, "whitted", 4), 0.003);
    EXPECT_LT(difference(MaterialKind::phong, "whitted", 4), 0.004);
}

TEST(SplatPictures, MirrorsReflectLikeTheTrueSphere) {
    // The mirror image moves by twice the error of the normals.
    EXPECT_LT(difference(MaterialKind::mirror, "whitted", 4), 0.006);
}

TEST(SplatPictures, GlassRefractsOnceAtEachSurface) {
    // A second interface in an overlap would deflect rays, or reflect them totally, far from there.
    EXPECT_LT(difference(MaterialKind::dielectric, "whitted", 4), 0.015);
}

TEST(SplatPictures, PathsMeetThemLikeTheTrueSphere) {
    // The same samples are drawn; paths that part behind the first bounce are noise.
    EXPECT_LT(difference(MaterialKind::diffuse, "path", 8), 0.03);
}

TEST(SplatPictures, EveryRendererShowsThemAndRunsAreRepeated) {
    TL_LONG_TEST();
    constexpr Extent kSmall{40, 30};
    for (auto& renderer : test::picture_renderers()) {
        SCOPED_TRACE(renderer);
        Material glossy = of_kind(MaterialKind::phong);
        ImageF first = picture(glossy, 2'000, renderer, 1, kSmall);
        // Photon maps sum in the order in which threads finish.
        EXPECT_LT(mean_difference(first, picture(glossy, 2'000, renderer, 1, kSmall)), 1e-6);
        EXPECT_GT(mean_of(first), 0.1);
    }
}

/// A ring with normals, as an OBJ file.
std::string ring_obj() {
    constexpr int kAround = 160, kAcross = 80;
    std::string text;
    char line[120];
    for (int i = 0; i < kAround; ++i)
        for (int j = 0; j < kAcross; ++j) {
            double u = 2 * M_PI * i / kAround, v = 2 * M_PI * j / kAcross;
            double x = std::cos(u) * std::cos(v), y = std::sin(v), z = std::sin(u) * std::cos(v);
            std::snprintf(line, sizeof line, "v %.6f %.6f %.6f\nvn %.6f %.6f %.6f\n",
                          std::cos(u) + 0.4 * x, 0.4 * y, std::sin(u) + 0.4 * z, x, y, z);
            text += line;
        }
    auto corner = [](int i, int j) { return i % kAround * kAcross + j % kAcross + 1; };
    for (int i = 0; i < kAround; ++i)
        for (int j = 0; j < kAcross; ++j) {
            int a = corner(i, j), b = corner(i, j + 1), c = corner(i + 1, j + 1),
                d = corner(i + 1, j);
            std::snprintf(line, sizeof line, "f %d//%d %d//%d %d//%d %d//%d\n", a, a, b, b, c, c, d,
                          d);
            text += line;
        }
    return text;
}

TEST(SplatPictures, AMeshSampledByMorePointsIsNearerToTheMesh) {
    test::TempFolder folder;
    folder.write("ring.obj", ring_obj());
    auto picture_by = [&](const std::string& keys) {
        Scene scene = load_scene(folder.write("a.toml",
                                              "background = [0.4, 0.5, 0.6]\n"
                                              "[camera]\neye = [0.5, 1.6, 3]\ntarget = [0, 0, 0]\n"
                                              "[render]\nrenderer = \"path\"\n"
                                              "[[light]]\nkind = \"point\"\n"
                                              "position = [3, 4, 2]\nintensity = [60, 60, 60]\n"
                                              "[[mesh]]\nfile = \"ring.obj\"\n" +
                                                  keys));
        return render_radiance(*devices().front(), std::make_shared<Scene>(std::move(scene)),
                               {96, 72}, 24);
    };
    ImageF mesh = picture_by("");
    double before = 1;
    for (int n : {500, 2'000, 8'000, 32'000}) {
        ImageF points = picture_by("sample = " + std::to_string(n) + "\n");
        double flip = flip_errors(mesh, points).mean();
        double light = std::abs(mean_of(points) / mean_of(mesh) - 1);
        std::printf("%d points: FLIP %.4f, mean radiance off by %.2f %%\n", n, flip, 100 * light);
        EXPECT_LT(flip, before);
        before = flip;
    }
    EXPECT_LT(before, 0.05);  // the remaining difference is the noise of both pictures
}

TEST(SplatPictures, AnEmissionIsSeen) {
    Material glowing;
    glowing.emission = vec3(2, 1, 0.5f);
    glowing.diffuse = vec3(0);
    for (auto* renderer : {"whitted", "path"}) {
        ImageF image = picture(glowing, 2'000, renderer, 1);
        vec3 middle = image.rgb[std::size_t(kExtent.width) * (kExtent.height / 2) +
                                std::size_t(kExtent.width) / 2];
        for (int c = 0; c < 3; ++c) EXPECT_FLOAT_EQ(middle[c], glowing.emission[c]) << renderer;
    }
}

}  // namespace
}  // namespace tl::splat_pictures_tests
