// Renderer `points` against brute force, on every device of the machine.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/image/picture.h"

namespace tl::points_renderer_tests {
namespace {

constexpr Extent kSmall{64, 48};

std::shared_ptr<Scene> empty_scene() {
    auto scene = std::make_shared<Scene>();
    scene->materials = {Material{}};
    scene->materials[0].diffuse = vec3(1);
    scene->camera = {{0, 0, 6}, {0, 0, 0}, {0, 1, 0}, 40};
    return scene;
}

/// `n` points in a cube about the origin, each of a colour that encodes its number.
std::shared_ptr<Scene> cloud_of(int n, float radius) {
    auto scene = empty_scene();
    std::mt19937 random(7);
    std::uniform_real_distribution<float> place(-2, 2);
    for (int i = 0; i < n; ++i) {
        auto number = static_cast<unsigned>(i);
        vec3 color(number & 15, number >> 4 & 15, number >> 8 & 15);
        vec3 center(place(random), place(random), place(random));
        scene->spheres.push_back({center, radius, 0, color / 15.0f});
    }
    return scene;
}

std::unique_ptr<Session> points_session(Device& device, std::shared_ptr<const Scene> scene,
                                        std::map<std::string, std::string> settings = {}) {
    auto session = std::make_unique<Session>(device);
    session->set_renderer("points");
    settings.emplace("shading", "0");
    for (auto& [id, value] : settings) session->settings().set("points", id, value);
    session->set_scene(std::move(scene));
    session->resize(kSmall);
    return session;
}

ImageF frame_of(Session& session) {
    session.begin_frame();
    session.render_frame();
    session.end_frame();
    return session.film().radiance(session.stream());
}

int n_lit(const ImageF& image) {
    return static_cast<int>(std::ranges::count_if(image.rgb, [](vec3 c) { return c != vec3(0); }));
}

/// Projects a point: its position in a picture, in pixels from the top left, and its distance along
/// the view.
glm::dvec3 project(glm::dvec3 p, Extent extent = kSmall) {
    double z = 6 - p.z, step = 2 * std::tan(glm::radians(20.0)) / extent.height;
    return {p.x / z / step + extent.width / 2.0, -p.y / z / step + extent.height / 2.0, z};
}

/// Compares the pixels of a picture with the nearest points in them, where none is nearer than
/// `rim` pixels to an edge; returns how many.
int compare_with_nearest(const Scene& scene, const ImageF& image, Extent extent, double rim) {
    struct Nearest {
        double distance = 1e30, next = 1e30;
        vec3 color{0};
        bool is_sure = true;
    };
    std::vector<Nearest> nearest(extent.pixels());
    for (auto& sphere : scene.spheres) {
        glm::dvec3 p = project(sphere.center, extent);
        for (double dy : {-rim, rim})
            for (double dx : {-rim, rim}) {
                double x = std::floor(p.x + dx), y = std::floor(p.y + dy);
                if (x < 0 || x >= extent.width || y < 0 || y >= extent.height) continue;
                auto& pixel = nearest[std::size_t(y) * std::size_t(extent.width) + std::size_t(x)];
                bool near_edge = x != std::floor(p.x - dx) || y != std::floor(p.y - dy);
                if (near_edge) pixel.is_sure = false;
                if (dx < 0 || dy < 0) continue;
                pixel.next = std::min(pixel.next, std::max(p.z, pixel.distance));
                if (p.z >= pixel.distance) continue;
                pixel.distance = p.z;
                pixel.color = sphere.color;
            }
    }
    int n_compared = 0;
    for (std::size_t i = 0; i < nearest.size(); ++i) {
        bool is_empty = nearest[i].distance == 1e30;
        bool is_close = !is_empty && nearest[i].next - nearest[i].distance < 0.01;
        if (!nearest[i].is_sure || is_close) continue;
        ++n_compared;
        // Colours are kept as sRGB of eight bits: half a level is at most 0.0045 of linear light.
        for (int c = 0; c < 3; ++c) EXPECT_NEAR(image.rgb[i][c], nearest[i].color[c], 0.005f) << i;
    }
    return n_compared;
}

TEST(PointsRenderer, EveryPixelHasItsNearestPoint) {
    auto scene = cloud_of(4000, 0.1f);
    for (Device* device : devices()) {
        SCOPED_TRACE(device->name());
        auto session = points_session(*device, scene, {{"size", "0"}, {"per-pixel", "0"}});
        // In a small picture batches are drawn by their upper bits: to a 32nd of a pixel an axis.
        EXPECT_GT(compare_with_nearest(*scene, frame_of(*session), kSmall, 0.1), 500);
        constexpr Extent kLarge{640, 480};
        session->resize(kLarge);
        EXPECT_GT(compare_with_nearest(*scene, frame_of(*session), kLarge, 1e-3), 250'000);
    }
}

TEST(PointsRenderer, PointsAreBallsOfTheirSize) {
    auto scene = empty_scene();
    scene->spheres = {{vec3(0), 0.5f, 0, vec3(1)}, {vec3(0, 0, -2), 0.5f, 0, vec3(1, 0, 0)}};
    for (Device* device : devices()) {
        for (const char* size : {"1", "2"}) {
            auto session = points_session(*device, scene, {{"size", size}});
            auto image = frame_of(*session);
            double step = 2 * std::tan(glm::radians(20.0)) / kSmall.height;
            double radius = 0.5 * std::stod(size) / 6 / step;
            double rim = 2 * M_PI * radius;  // pixels on the edge are in or out
            int n_white = static_cast<int>(std::ranges::count(image.rgb, vec3(1)));
            EXPECT_NEAR(n_white, M_PI * radius * radius, rim / 4) << device->name();
        }
    }
}

TEST(PointsRenderer, FramesOfABudgetAddUpToThePictureAtOnce) {
    auto scene = cloud_of(4000, 0.03f);
    for (Device* device : devices()) {
        auto whole = points_session(*device, scene, {{"per-pixel", "0"}});
        auto at_once = frame_of(*whole);
        auto session = points_session(*device, scene, {{"per-pixel", "0"}, {"budget", "1000"}});
        int before = 0;
        for (int frame = 0; frame < 4; ++frame) {
            EXPECT_FALSE(session->finished());
            int n = n_lit(frame_of(*session));
            EXPECT_GT(n, before);
            before = n;
        }
        EXPECT_EQ(test::mean_difference(at_once, frame_of(*session)), 0) << device->name();
        EXPECT_TRUE(session->finished());
    }
}

TEST(PointsRenderer, FarBatchesNeedNotAllTheirPoints) {
    auto scene = cloud_of(60000, 0);
    scene->camera.eye.z = 120;  // the cube is 2.2 pixels high
    for (Device* device : devices()) {
        auto all = points_session(*device, scene, {{"per-pixel", "0"}});
        auto few = points_session(*device, scene, {{"per-pixel", "4"}});
        // Each pixel that points lie in has four of them on average, in the order of a curve.
        EXPECT_NEAR(n_lit(frame_of(*few)), n_lit(frame_of(*all)), 1) << device->name();
    }
}

TEST(PointsRenderer, VerticesHaveTheColoursOfTheirSurface) {
    auto scene = empty_scene();
    scene->materials[0].diffuse = vec3(0.25f, 0.5f, 1);
    Mesh mesh;
    mesh.positions = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
    mesh.colors = {vec3(1), vec3(0.5f), vec3(1, 0, 0)};
    mesh.triangles = {{0, 1, 2}};
    mesh.material_of_triangle = {0};
    scene->meshes = {mesh};
    for (Device* device : devices()) {
        auto session = points_session(*device, scene);
        auto image = frame_of(*session);
        EXPECT_EQ(n_lit(image), 3) << device->name();
        auto& stream = session->stream();
        for (int k = 0; k < 3; ++k) {
            glm::dvec3 at = project(mesh.positions[std::size_t(k)]);
            int x = int(at.x), y = int(at.y);
            vec3 color = image.rgb[std::size_t(y) * kSmall.width + std::size_t(x)];
            vec3 expected = mesh.colors[std::size_t(k)] * scene->materials[0].diffuse;
            for (int c = 0; c < 3; ++c) EXPECT_NEAR(color[c], expected[c], 0.005f) << k;
            auto text = session->renderer().false_color()->text(stream, x, y);
            EXPECT_EQ(text.rfind("vertex " + std::to_string(k + 1) + " at (", 0), 0u) << text;
            EXPECT_NEAR(session->renderer().false_color()->value(stream, x, y), 6, 1e-5f);
        }
        EXPECT_EQ(session->renderer().false_color()->text(stream, 0, 0), "no point");
    }
}

TEST(PointsRenderer, SplatsAreDrawnToo) {
    auto scene = empty_scene();
    scene->materials[0].diffuse = vec3(1, 0.5f, 0);
    Splat splat;
    splat.radius = 0.5f;
    splat.color = vec3(0.5f, 1, 1);
    scene->splats = {splat};
    for (Device* device : devices()) {
        auto session = points_session(*device, scene);
        auto image = frame_of(*session);
        vec3 middle = image.rgb[24 * std::size_t(kSmall.width) + 32];
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(middle[c], (vec3(0.5f, 0.5f, 0))[c], 0.005f) << device->name();
        EXPECT_GT(n_lit(image), 50);
        EXPECT_EQ(session->renderer()
                      .false_color()
                      ->text(session->stream(), 32, 24)
                      .rfind("point 1 at", 0),
                  0u);
    }
}

TEST(PointsRenderer, HeightsAreARampOverTheScene) {
    auto scene = empty_scene();
    scene->spheres = {{vec3(0, -1, 0), 0, 0}, {vec3(0, 0, 0), 0, 0}, {vec3(0, 1, 0), 0, 0}};
    for (Device* device : devices()) {
        auto session = points_session(*device, scene, {{"color", "height"}});
        (void)frame_of(*session);
        auto& stream = session->stream();
        auto scale = session->renderer().false_color()->scale(stream);
        EXPECT_TRUE(scale.is_ramp());
        EXPECT_NEAR(scale.minimum, -1, 1e-5f) << device->name();
        EXPECT_NEAR(scale.mean, 0, 1e-5f);
        EXPECT_NEAR(scale.maximum, 1, 1e-5f);
        EXPECT_NEAR(session->renderer().false_color()->value(stream, 32, 24), 0, 1e-5f);
    }
}

TEST(PointsRenderer, EdgesBeforeSomethingFarAreDarkBehind) {
    // A near row of balls before a far wall of points: the wall is darker beside the row alone.
    auto scene = empty_scene();
    for (int y = -40; y <= 40; ++y)
        for (int x = -40; x <= 40; ++x)
            scene->spheres.push_back({vec3(x, y, -20) * 0.25f, 0.2f, 0, vec3(1)});
    for (int y = -8; y <= 8; ++y) scene->spheres.push_back({vec3(0, y * 0.25f, 0), 0.2f, 0});
    for (Device* device : devices()) {
        auto session = points_session(*device, scene, {{"shading", "0.4"}});
        auto image = frame_of(*session);
        auto row = [&](int x) {
            return image.rgb[24 * std::size_t(kSmall.width) + std::size_t(x)];
        };
        float open = row(8).x, darkest = 1;
        for (int x = 20; x < 44; ++x) darkest = std::min(darkest, row(x).x);
        EXPECT_GT(open, 0.5f) << device->name();
        EXPECT_LT(darkest, 0.01f) << device->name();
    }
}

TEST(PointsRenderer, PicturesOfMovingVerticesFollowThem) {
    auto scene = empty_scene();
    Mesh mesh;
    mesh.positions = {{-1, 0, 0}, {-1.1f, 0, 0}, {-1, 0.1f, 0}};
    mesh.triangles = {{0, 1, 2}};
    mesh.material_of_triangle = {0};
    mesh.animation.kind = AnimationKind::frames;
    mesh.frames.resize(2);
    mesh.frames[0].positions = mesh.positions;
    mesh.frames[1].positions = {{1, 0, 0}, {0.9f, 0, 0}, {1, 0.1f, 0}};
    scene->meshes = {mesh};
    scene->duration = 2;
    for (Device* device : devices()) {
        auto session = points_session(*device, scene);
        auto lit_on = [](const ImageF& image, bool right) {
            int n = 0;
            for (int y = 0; y < kSmall.height; ++y)
                for (int x = 0; x < kSmall.width / 2; ++x)
                    n += image.rgb[std::size_t(y) * kSmall.width + std::size_t(x) +
                                   (right ? kSmall.width / 2 : 0)] != vec3(0);
            return n;
        };
        EXPECT_GT(lit_on(frame_of(*session), false), 0) << device->name();
        session->time = 1;
        auto moved = frame_of(*session);
        EXPECT_EQ(lit_on(moved, false), 0);
        EXPECT_GT(lit_on(moved, true), 0);
    }
}

}  // namespace
}  // namespace tl::points_renderer_tests
