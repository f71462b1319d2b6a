// Auxiliary pictures (AOVs): values for scenes with known results, on every device of the machine,
// and their storage in EXR files.
#include <gtest/gtest.h>
#include <tinyexr.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "core/base/error.h"
#include "renderer/aov/aov_samples.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/shading/camera_rays.h"
#include "tests/image/picture.h"
#include "tests/source_path.h"
#include "tests/unit/temp_folder.h"

namespace tl::aov_tests {
namespace {

constexpr Extent kSize{32, 24};
constexpr float kDistance = 5;  // distance of the camera from the plane z = 0

/// The square |x|, |y| <= half in the plane z = 0 facing +z, with uv from (0, 0) to (1, 1).
Mesh square(float half, std::int32_t material) {
    Mesh mesh;
    mesh.positions = {{-half, -half, 0}, {half, -half, 0}, {half, half, 0}, {-half, half, 0}};
    mesh.uvs = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    mesh.material_of_triangle = {material, material};
    return mesh;
}

/// A scene whose camera looks at the origin, straight down the z axis.
std::shared_ptr<Scene> looking_down() {
    auto scene = std::make_shared<Scene>();
    Material red, other;
    red.diffuse = vec3(0.8f, 0.1f, 0.1f);
    other.diffuse = vec3(0.25f, 0.5f, 0.75f);
    scene->materials = {red, other};
    scene->camera = {{0, 0, kDistance}, {0, 0, 0}, {0, 1, 0}, 40};
    return scene;
}

/// A session and the AOVs of its frames.
struct Captured {
    Session session;
    AovBuffers buffers;

    Captured(Device& device, std::shared_ptr<const Scene> scene, const std::string& channels)
        : session(device) {
        session.set_scene(std::move(scene));
        session.resize(kSize);
        buffers.resize(session.stream(), kSize, parse_aov_set(channels));
    }
    void frames(int n) {
        for (int i = 0; i < n; ++i) {
            session.begin_frame();
            session.render_frame();
            SceneView scene = session.live_scene().view();
            TL_DISPATCH(session.device(), add_aov_sample(session.stream(), session.newest_frame(),
                                                         scene, buffers.view()));
            session.end_frame();
        }
    }
    vec3 at(AovChannel channel, int x, int y) {
        return buffers.value(session.stream(), channel, x, y);
    }
};

void for_pixels(auto&& visit) {
    for (int y = 0; y < kSize.height; ++y)
        for (int x = 0; x < kSize.width; ++x) visit(x, y);
}

void expect_near(vec3 a, vec3 b, float tolerance) {
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], tolerance);
}

TEST(AovSet, ListsAreReadAndUnknownNamesListTheKnownOnes) {
    EXPECT_EQ(parse_aov_set("all").count(), aov_rows().size());
    AovSet set = parse_aov_set("albedo,depth");
    EXPECT_EQ(set.count(), 2u);
    EXPECT_TRUE(set[static_cast<int>(AovChannel::depth)]);
    EXPECT_TRUE(set[static_cast<int>(AovChannel::albedo)]);
    for (const char* wrong : {"", "depth,", "colour", "depth,,uv"}) {
        std::string message = test::refusal([&] { (void)parse_aov_set(wrong); });
        TL_EXPECT_CONTAINS(message, "known: all, depth, position");
    }
}

TEST(Aov, APlaneAcrossTheViewHasOneDepthAndItsOwnCoordinates) {
    for (Device* device : devices()) {
        auto scene = looking_down();
        scene->meshes = {square(1, 0), square(10, 1)};
        for (auto& p : scene->meshes[0].positions) p.z = -90;  // out of visibility behind the other
        Captured captured(*device, scene, "all");
        captured.frames(3);
        CameraRays camera(scene->camera, kSize);
        for_pixels([&](int x, int y) {
            Ray ray = camera.through(float(x) + 0.5f, float(y) + 0.5f);
            vec3 point = ray.origin - ray.direction * (ray.origin.z / ray.direction.z);
            expect_near(captured.at(AovChannel::depth, x, y), vec3(kDistance), 1e-5f);
            expect_near(captured.at(AovChannel::position, x, y), point, 1e-5f);
            expect_near(captured.at(AovChannel::normal, x, y), vec3(0, 0, 1), 1e-6f);
            expect_near(captured.at(AovChannel::shading_normal, x, y), vec3(0, 0, 1), 1e-6f);
            vec3 uv(point.x / 20 + 0.5f, point.y / 20 + 0.5f, 0);
            expect_near(captured.at(AovChannel::uv, x, y), uv, 1e-5f);
            expect_near(captured.at(AovChannel::albedo, x, y), vec3(0.25f, 0.5f, 0.75f), 1e-6f);
            EXPECT_EQ(captured.at(AovChannel::material, x, y).x, 2);
            // The square's triangles are the scene's third and fourth, divided by the diagonal.
            float primitive = captured.at(AovChannel::primitive, x, y).x;
            if (std::abs(point.x - point.y) > 1e-3f) {
                EXPECT_EQ(primitive, point.x > point.y ? 3 : 4);
            }
            EXPECT_EQ(captured.at(AovChannel::instance, x, y).x, 0);
            EXPECT_GE(captured.at(AovChannel::node_visits, x, y).x, 1);
            EXPECT_GE(captured.at(AovChannel::primitive_tests, x, y).x, 1);
            EXPECT_EQ(captured.at(AovChannel::bounces, x, y).x, 0);
        });
    }
}

TEST(Aov, BouncesAreTheMirrorsAndGlassOnTheStrongestWay) {
    for (Device* device : devices()) {
        auto scene = looking_down();
        scene->meshes = {square(10, 0)};
        auto bounces = [&] {
            Captured captured(*device, scene, "bounces");
            captured.frames(2);
            return captured.at(AovChannel::bounces, kSize.width / 2, kSize.height / 2).x;
        };
        Material& material = scene->materials[0];
        material.kind = MaterialKind::mirror;
        material.specular = vec3(0.5f);
        EXPECT_EQ(bounces(), 1) << device->name();
        // Through a glass ball: entry, exit and the mirror behind it, then back the same way.
        Material glass;
        glass.kind = MaterialKind::dielectric;
        glass.specular = glass.transmission = vec3(1);
        scene->materials.push_back(glass);
        scene->spheres = {{{0, 0, 1}, 0.5f, static_cast<int>(scene->materials.size()) - 1}};
        EXPECT_EQ(bounces(), 5) << device->name();
    }
}

TEST(Aov, HolesAreSeenThroughUpToTheMost) {
    constexpr int kMostHoles = 256;  // as renderer/shading/cutouts.h says
    for (Device* device : devices()) {
        auto scene = looking_down();
        scene->materials[0].alpha_texture = 0;
        scene->textures = {{"nothing", 1, 1, {255, 255, 255, 0}}};
        scene->meshes = {square(10, 0), square(10, 1)};
        for (auto& p : scene->meshes[0].positions) p.z = 1;
        {
            Captured captured(*device, scene, "depth,material");
            captured.frames(2);
            for_pixels([&](int x, int y) {
                EXPECT_NEAR(captured.at(AovChannel::depth, x, y).x, kDistance, 1e-5f);
                EXPECT_EQ(captured.at(AovChannel::material, x, y).x, 2);
            });
        }
        scene->meshes.clear();
        for (int i = 0; i <= kMostHoles; ++i) {
            scene->meshes.push_back(square(10, 0));
            for (auto& p : scene->meshes.back().positions) p.z = -0.01f * float(i);
        }
        Captured captured(*device, scene, "depth");
        captured.frames(1);
        for_pixels([&](int x, int y) {
            EXPECT_NEAR(captured.at(AovChannel::depth, x, y).x, kDistance + 0.01f * kMostHoles,
                        1e-4f);
        });
    }
}

TEST(Aov, NormalMapsTurnTheShadingNormalAlone) {
    for (Device* device : devices()) {
        auto scene = looking_down();
        scene->materials[0].normal_texture = 0;
        scene->textures = {{"tilted", 1, 1, {228, 128, 228, 255}, false}};
        scene->meshes = {square(10, 0)};
        Captured captured(*device, scene, "normal,shading-normal");
        captured.frames(1);
        float half = std::sqrt(0.5f);
        expect_near(captured.at(AovChannel::normal, 9, 9), vec3(0, 0, 1), 1e-6f);
        expect_near(captured.at(AovChannel::shading_normal, 9, 9), vec3(half, 0, half), 1e-4f);
    }
}

TEST(Aov, ASphereHasItsRadialNormals) {
    for (Device* device : devices()) {
        auto scene = looking_down();
        scene->spheres = {{vec3(0.25f, 0, 1), 1.5f, 0}};
        Captured captured(*device, scene, "position,normal,shading-normal,depth");
        captured.frames(1);
        int n_inside = 0;
        for_pixels([&](int x, int y) {
            vec3 position = captured.at(AovChannel::position, x, y);
            vec3 normal = captured.at(AovChannel::normal, x, y);
            EXPECT_EQ(captured.at(AovChannel::shading_normal, x, y), normal);
            float depth = captured.at(AovChannel::depth, x, y).x;
            if (position == vec3(0) || normal == vec3(0)) return;  // both rays miss the sphere
            ++n_inside;
            EXPECT_NEAR(glm::length(normal), 1, 1e-5f);
            vec3 radius = position - scene->spheres[0].center;
            EXPECT_NEAR(glm::length(radius), 1.5f, 1e-5f);
            EXPECT_GE(depth, kDistance - 1 - 1.5f);
            // The mean's ray is somewhere in the pixel, a pixel 0.15 wide at the sphere's centre;
            // near the silhouette the normal turns faster.
            if (radius.z > 0.75f) {
                expect_near(normal, radius / 1.5f, 0.25f);
            }
        });
        EXPECT_GT(n_inside, 100);
    }
}

TEST(Aov, MeansCountTheSamplesThatMeetNothingButDepthDoesNot) {
    constexpr int kSamples = 8;
    for (Device* device : devices()) {
        auto scene = looking_down();
        scene->meshes = {square(1, 0)};
        Captured captured(*device, scene, "all");
        captured.frames(kSamples);
        int n_nothing = 0, n_edge = 0, n_full = 0;
        for_pixels([&](int x, int y) {
            float share = captured.at(AovChannel::normal, x, y).z;
            EXPECT_EQ(share * kSamples, std::round(share * kSamples));
            EXPECT_NEAR(captured.at(AovChannel::albedo, x, y).x, 0.8f * share, 1e-6f);
            float depth = captured.at(AovChannel::depth, x, y).x;
            EXPECT_EQ(std::isinf(depth), share == 0);
            if (share > 0) {
                EXPECT_NEAR(depth, kDistance, 1e-5f);
            }
            ++(share == 0 ? n_nothing : share == 1 ? n_full : n_edge);
            bool centre = captured.at(AovChannel::material, x, y).x == 1;
            EXPECT_EQ(captured.at(AovChannel::primitive, x, y).x > 0, centre);
            EXPECT_EQ(captured.at(AovChannel::uv, x, y) != vec3(0), centre);
            if (share == 1 || share == 0) {
                EXPECT_EQ(centre, share == 1);
            }
        });
        EXPECT_GT(n_nothing, 100);
        EXPECT_GT(n_edge, 10);
        EXPECT_GT(n_full, 50);
    }
}

TEST(Aov, InstancesAreNumberedAndTheirTrianglesAreThoseOfTheMesh) {
    for (Device* device : devices()) {
        auto scene = looking_down();
        scene->meshes = {square(0.5f, 0)};
        scene->meshes[0].instanced = true;
        Instance left, right;
        left.transform[3] = vec4(-1, 0, 0, 1);
        right.transform[3] = vec4(1, 0, 0, 1);
        right.material = 1;
        scene->instances = {left, right};
        Captured captured(*device, scene, "material,primitive,instance");
        captured.frames(1);
        int seen[2] = {};
        for_pixels([&](int x, int y) {
            auto instance = int(captured.at(AovChannel::instance, x, y).x);
            float primitive = captured.at(AovChannel::primitive, x, y).x;
            EXPECT_EQ(captured.at(AovChannel::material, x, y).x, instance);
            EXPECT_LE(primitive, 2);
            EXPECT_EQ(primitive > 0, instance > 0);
            if (instance == 0) return;
            EXPECT_EQ(instance, x < kSize.width / 2 ? 1 : 2);
            ++seen[instance - 1];
        });
        EXPECT_GT(seen[0], 20);
        EXPECT_EQ(seen[0], seen[1]);
    }
}

TEST(Aov, DevicesAndLayoutsAgree) {
    auto scene = std::make_shared<Scene>(load_scene(source_path("scenes/cornell-box.toml")));
    constexpr const char* kChannels = "depth,position,normal,uv,albedo,material,primitive";
    Captured reference(find_device("cpu"), scene, kChannels);
    reference.session.settings().set("tree", "layout", "bvh2");
    reference.frames(2);
    auto expected = reference.buffers.planes(reference.session.stream());
    auto check = [&](Device& device, const char* layout) {
        Captured captured(device, scene, kChannels);
        captured.session.settings().set("tree", "layout", layout);
        captured.frames(2);
        auto planes = captured.buffers.planes(captured.session.stream());
        ASSERT_EQ(planes.size(), expected.size());
        for (std::size_t p = 0; p < planes.size(); ++p) {
            EXPECT_EQ(planes[p].name, expected[p].name);
            // In one of two hundred pixels, a ray at an edge may hit the other side.
            std::size_t n_different = 0;
            std::visit(
                [&](auto& a) {
                    auto& b = std::get<std::decay_t<decltype(a)>>(expected[p].pixels);
                    for (std::size_t i = 0; i < a.size(); ++i)
                        n_different +=
                            a[i] != b[i] && !(std::abs(double(a[i]) - double(b[i])) < 1e-4);
                },
                planes[p].pixels);
            EXPECT_LE(n_different, std::size_t(kSize.pixels()) / 200) << planes[p].name;
        }
    };
    for (Device* device : devices())
        for (const char* layout : {"skip", "bvh4"}) check(*device, layout);
}

TEST(Aov, OnlyWhatIsAskedForTakesMemoryAndSteadyFramesAllocateNothing) {
    for (Device* device : devices()) {
        auto scene = looking_down();
        scene->meshes = {square(1, 0)};
        Captured captured(*device, scene, "all");
        captured.frames(3);
        auto& buffers = captured.buffers;
        auto& stream = captured.session.stream();
        auto before = device->memory_stats();
        captured.frames(5);
        EXPECT_EQ(device->memory_stats().allocation_count, before.allocation_count);
        auto freed = [&] { return before.bytes_in_use - device->memory_stats().bytes_in_use; };
        std::size_t pixels = kSize.pixels();
        buffers.resize(stream, kSize, parse_aov_set("depth,material"));
        EXPECT_EQ(freed(), pixels * (8 * sizeof(vec4) + 2 * sizeof(std::uint32_t)));
        buffers.resize(stream, kSize, {});
        EXPECT_EQ(freed(), pixels * (9 * sizeof(vec4) + 3 * sizeof(std::uint32_t)));
        auto launched = device->memory_stats().allocation_count;
        captured.frames(1);  // no layer is requested, so none is written
        EXPECT_EQ(device->memory_stats().allocation_count, launched);
    }
}

/// The channels of an EXR file, read with tinyexr.
std::map<std::string, ImagePlane> channels_of(const std::string& path) {
    EXRVersion version;
    EXRHeader header;
    EXRImage image;
    InitEXRHeader(&header);
    InitEXRImage(&image);
    const char* error = nullptr;
    std::map<std::string, ImagePlane> channels;
    if (ParseEXRVersionFromFile(&version, path.c_str()) != TINYEXR_SUCCESS ||
        ParseEXRHeaderFromFile(&header, &version, path.c_str(), &error) != TINYEXR_SUCCESS ||
        LoadEXRImageFromFile(&image, &header, path.c_str(), &error) != TINYEXR_SUCCESS) {
        ADD_FAILURE() << (error ? error : "not an EXR file");
        return channels;
    }
    auto n_pixels = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
    auto copy = [&]<class T>(std::vector<T> values, int c) {
        values.resize(n_pixels);
        std::memcpy(values.data(), image.images[c], n_pixels * sizeof(T));
        return ImagePlane{header.channels[c].name, std::move(values)};
    };
    for (int c = 0; c < header.num_channels; ++c) {
        bool number = header.pixel_types[c] == TINYEXR_PIXELTYPE_UINT;
        channels[header.channels[c].name] =
            number ? copy(std::vector<std::uint32_t>{}, c) : copy(std::vector<float>{}, c);
    }
    FreeEXRImage(&image);
    FreeEXRHeader(&header);
    return channels;
}

TEST(Aov, AnExrFileHoldsTheSameValuesInItsLayers) {
    test::TempFolder folder;
    std::string path = folder.path("layers.exr");
    auto scene = std::make_shared<Scene>(load_scene(source_path("scenes/cornell-box.toml")));
    Captured captured(find_device("cpu"), scene, "all");
    captured.frames(2);
    auto& stream = captured.session.stream();
    auto picture = captured.session.film().radiance(stream);
    auto planes = captured.buffers.planes(stream);
    write_layers(path, picture, planes);

    EXPECT_EQ(read_image(path).rgb, picture.rgb);
    auto channels = channels_of(path);
    EXPECT_EQ(channels.size(), 3 + planes.size());
    for (const char* name : {"R", "G", "B", "depth.Z", "position.Y", "normal.X", "shading-normal.Z",
                             "uv.U", "uv.V", "albedo.R", "material.ID", "primitive.ID",
                             "instance.ID", "node-visits.N", "primitive-tests.N", "bounces.N"})
        EXPECT_TRUE(channels.contains(name)) << name;
    for (auto& plane : planes) EXPECT_EQ(channels[plane.name].pixels, plane.pixels) << plane.name;
    // The box has more than one material, and its back wall lies behind its blocks.
    auto& ids = std::get<std::vector<std::uint32_t>>(channels["material.ID"].pixels);
    EXPECT_GT(*std::max_element(ids.begin(), ids.end()), 2u);
    auto& depths = std::get<std::vector<float>>(channels["depth.Z"].pixels);
    EXPECT_LT(*std::min_element(depths.begin(), depths.end()) + 0.1f,
              depths[kSize.pixels() / 2 + kSize.width / 2]);
}

TEST(Aov, LayersAreRefusedInOtherFilesAndOtherSizes) {
    test::TempFolder folder;
    ImageF image{{2, 1}, {vec3(0), vec3(1)}};
    std::vector<ImagePlane> planes{{"depth.Z", std::vector<float>{1, 2}}};
    TL_EXPECT_CONTAINS(test::refusal([&] { write_layers(folder.path("a.hdr"), image, planes); }),
                       "layers are written as .exr");
    planes[0].pixels = std::vector<float>{1, 2, 3};
    TL_EXPECT_CONTAINS(test::refusal([&] { write_layers(folder.path("a.exr"), image, planes); }),
                       "3 values, not 2");
}

}  // namespace
}  // namespace tl::aov_tests
