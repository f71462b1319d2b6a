// Compares views in mirrors and through glass, pixel by pixel, with Snell's and Fresnel's laws in
// double precision; and checks that no surface creates energy.
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "renderer/shading/camera_rays.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"

namespace tl::refraction_tests {
namespace {

using glm::dvec3;
using test::render_radiance;

constexpr Extent kExtent{60, 40};
constexpr float kBoard = -6;  // z of a board of emissive tiles in two alternating colours
constexpr int kTiles = 24;    // a side
constexpr float kTile = 0.5f;
constexpr double kIor = 1.5;

/// Path in double precision, and the fraction of the radiance at its end that reaches the camera.
struct Way {
    dvec3 origin, direction;
    double weight = 1;
};

/// A board behind the origin, seen from in front of it, along rays through pixel centres.
std::shared_ptr<Scene> board_scene() {
    auto scene = std::make_shared<Scene>();
    Material red, green;
    red.emission = {1, 0, 0};
    green.emission = {0, 1, 0};
    Material glass;
    glass.kind = MaterialKind::dielectric;
    glass.ior = float(kIor);
    glass.specular = vec3(0);  // refraction only
    glass.transmission = vec3(1);
    Material mirror;
    mirror.kind = MaterialKind::mirror;
    mirror.specular = vec3(1);
    scene->materials = {red, green, glass, mirror};
    Mesh board;
    for (int y = 0; y < kTiles; ++y)
        for (int x = 0; x < kTiles; ++x) {
            float left = kTile * float(x - kTiles / 2), low = kTile * float(y - kTiles / 2);
            auto first = static_cast<std::uint32_t>(board.positions.size());
            for (vec2 corner : {vec2(0, 0), vec2(1, 0), vec2(1, 1), vec2(0, 1)})
                board.positions.emplace_back(left + kTile * corner.x, low + kTile * corner.y,
                                             kBoard);
            board.triangles.insert(board.triangles.end(),
                                   {{first, first + 1, first + 2}, {first, first + 2, first + 3}});
            board.material_of_triangle.insert(board.material_of_triangle.end(), 2, (x + y) % 2);
        }
    scene->meshes = {board};
    scene->camera = {{0.1f, 0.2f, 5}, {0, 0, 0}, {0, 1, 0}, 25};
    scene->settings["sampling"]["filter-radius"] = "1e-5";
    scene->settings["whitted"]["cutoff"] = "0";
    return scene;
}

/// The board's tile that a path hits: 0 red, 1 green; none near tile edges and outside the board.
std::optional<int> tile_of(const Way& way) {
    if (!(way.direction.z < 0)) return {};
    dvec3 p = way.origin + way.direction * ((double(kBoard) - way.origin.z) / way.direction.z);
    double u = p.x / double(kTile) + kTiles / 2, v = p.y / double(kTile) + kTiles / 2;
    if (u < 0 || v < 0 || u >= kTiles || v >= kTiles) return {};
    auto off_edge = [](double x) { return std::abs(x - std::round(x)) > 0.01; };
    if (!off_edge(u) || !off_edge(v)) return {};
    return (int(u) + int(v)) % 2;
}

/// Through a surface of unit normal `n`, from the index n1 to n2; false for total reflection.
bool refract(Way& way, dvec3 n, double n1, double n2) {
    if (glm::dot(n, way.direction) > 0) n = -n;
    double cos1 = -glm::dot(n, way.direction), eta = n1 / n2;
    double sin2 = eta * eta * (1 - cos1 * cos1);
    if (sin2 >= 1) return false;
    double cos2 = std::sqrt(1 - sin2);
    double rs = (n1 * cos1 - n2 * cos2) / (n1 * cos1 + n2 * cos2);
    double rp = (n1 * cos2 - n2 * cos1) / (n1 * cos2 + n2 * cos1);
    way.weight *= 1 - (rs * rs + rp * rp) / 2;
    way.direction = eta * way.direction + (eta * cos1 - cos2) * n;
    return true;
}

void go_to_plane(Way& way, dvec3 on_plane, dvec3 n) {
    way.origin += way.direction * (glm::dot(n, on_plane - way.origin) / glm::dot(n, way.direction));
}

/// Expects that pixels show the tile at the end of their path by `through`, if it hits one.
void expect_seen(std::shared_ptr<const Scene> scene, const std::function<bool(Way&)>& through,
                 int at_least) {
    CameraRays rays(scene->camera, kExtent);
    for (Device* device : devices()) {
        auto image = render_radiance(*device, scene, kExtent, 1);
        int n_checked = 0;
        for (int y = 0; y < kExtent.height; ++y)
            for (int x = 0; x < kExtent.width; ++x) {
                Ray ray = rays.through(float(x) + 0.5f, float(y) + 0.5f);
                Way way{ray.origin, glm::normalize(dvec3(ray.direction))};
                if (!through(way)) continue;
                auto tile = tile_of(way);
                if (!tile) continue;
                ++n_checked;
                vec3 seen = image.rgb[std::size_t(y * kExtent.width + x)];
                ASSERT_NEAR(seen[*tile], way.weight, 2e-4) << device->name() << x << "," << y;
                ASSERT_NEAR(seen[1 - *tile], 0, 2e-4) << device->name() << x << "," << y;
            }
        EXPECT_GT(n_checked, at_least) << device->name();
    }
}

/// Adds a flat polygon.
void add_polygon(Scene& scene, const std::vector<vec3>& corners, int material) {
    Mesh mesh;
    mesh.positions = corners;
    for (std::uint32_t i = 2; i < corners.size(); ++i) {
        mesh.triangles.emplace_back(0, i - 1, i);
        mesh.material_of_triangle.push_back(material);
    }
    scene.meshes.push_back(mesh);
}

TEST(Mirror, ShowsACheckerboardWhereReflectionPutsIt) {
    auto scene = board_scene();
    // A mirror through (0, 0, 3), leaning back a little. The board stands behind the camera, at z =
    // kBoard, so the camera looks away from it into the mirror.
    scene->camera = {{0.3f, 0.1f, -2}, {0, 0, 3}, {0, 1, 0}, 30};
    dvec3 n = glm::normalize(dvec3(0.05, 0.1, -1)), at(0, 0, 3);
    dvec3 u = glm::normalize(glm::cross(n, dvec3(0, 1, 0))), v = glm::cross(n, u);
    std::vector<vec3> corners;
    for (auto [a, b] : {std::pair{-9, -9}, {9, -9}, {9, 9}, {-9, 9}})
        corners.emplace_back(at + double(a) * u + double(b) * v);
    add_polygon(*scene, corners, 3);
    expect_seen(
        scene,
        [&](Way& way) {
            go_to_plane(way, at, n);
            way.direction -= 2 * glm::dot(way.direction, n) * n;
            return true;
        },
        1500);
}

TEST(Slab, ShiftsWhatIsBehindIt) {
    auto scene = board_scene();
    for (float z : {0.0f, -1.2f})
        add_polygon(*scene, {{-9, -9, z}, {9, -9, z}, {9, 9, z}, {-9, 9, z}}, 2);
    // The far side faces away.
    std::swap(scene->meshes.back().positions[1], scene->meshes.back().positions[3]);
    scene->camera.eye = {2, 1, 5};
    expect_seen(
        scene,
        [](Way& way) {
            for (double z : {0.0, -1.2}) {
                go_to_plane(way, {0, 0, z}, {0, 0, 1});
                refract(way, {0, 0, 1}, z == 0 ? 1 : kIor, z == 0 ? kIor : 1);
            }
            return true;
        },
        1500);
}

TEST(Prism, BendsByItsTwoFaces) {
    auto scene = board_scene();
    // A prism of two faces that share a line at the top; its base is below the camera's view.
    dvec3 front = glm::normalize(dvec3(0, 0.3, 1)), back = glm::normalize(dvec3(0, 0.25, -1));
    auto depth = [](dvec3 n, double y) { return -n.y * (y - 2) / n.z; };  // both hold (0, 2, 0)
    std::vector<vec3> face[2];
    for (auto [x, y] : {std::pair{-9, -9}, {9, -9}, {9, 2}, {-9, 2}}) {
        face[0].emplace_back(x, y, depth(front, y));
        face[1].emplace_back(-x, y, depth(back, y));
    }
    add_polygon(*scene, face[0], 2);
    add_polygon(*scene, face[1], 2);
    expect_seen(
        scene,
        [&](Way& way) {
            go_to_plane(way, {0, 2, 0}, front);
            if (way.origin.y > 1.9) return false;
            refract(way, front, 1, kIor);
            go_to_plane(way, {0, 2, 0}, back);
            return refract(way, back, kIor, 1);
        },
        1500);
}

TEST(BallLens, TurnsWhatIsBehindItUpsideDown) {
    auto scene = board_scene();
    scene->spheres.push_back({{0, 0, 0}, 1, 2});
    int n_turned = 0;
    expect_seen(
        scene,
        [&](Way& way) {
            double along = -glm::dot(way.origin, way.direction);
            double miss2 = glm::dot(way.origin, way.origin) - along * along;
            if (miss2 > 0.97) return false;
            way.origin += way.direction * (along - std::sqrt(1 - miss2));
            dvec3 first = way.origin;
            refract(way, glm::normalize(way.origin), 1, kIor);
            way.origin += way.direction * (-2 * glm::dot(way.origin, way.direction));
            refract(way, glm::normalize(way.origin), kIor, 1);
            n_turned += (first.x > 0) != (way.direction.x > 0);
            return true;
        },
        150);
    EXPECT_GT(n_turned, 150);
}

TEST(Energy, NoSurfaceGivesMoreThanItGets) {
    TL_LONG_TEST();
    // Balls of glass in each other, coated, coloured and grazed, in a white environment.
    for (const char* fresnel : {"exact", "schlick"})
        for (float ior : {1.0f, 1.1f, 1.5f, 2.4f}) {
            auto scene = std::make_shared<Scene>();
            Material outer, inner, mirror;
            outer.kind = inner.kind = MaterialKind::dielectric;
            outer.specular = inner.specular = vec3(1);
            outer.ior = ior;
            inner.ior = 1.33f;
            inner.priority = 1;
            mirror.kind = MaterialKind::mirror;
            mirror.specular = {1, 0.5f, 0.9f};
            scene->materials = {outer, inner, mirror};
            scene->spheres = {
                {{0, 0, 0}, 1, 0}, {{0.3f, 0, 0}, 0.5f, 1}, {{-0.4f, 0.2f, 0}, 0.3f, 2}};
            scene->background = vec3(1);
            scene->camera = {{0, 0, 4}, {0, 0, 0}, {0, 1, 0}, 35};
            scene->settings["whitted"] = {
                {"fresnel", fresnel}, {"max-depth", "20"}, {"cutoff", "0.00001"}};
            for (Device* device : devices())
                for (vec3 seen : render_radiance(*device, scene, kExtent, 2).rgb)
                    for (int c = 0; c < 3; ++c) {
                        ASSERT_GE(seen[c], 0) << device->name();
                        ASSERT_LE(seen[c], 1 + 1e-4f) << device->name() << " " << fresnel << ior;
                    }
        }
}

}  // namespace
}  // namespace tl::refraction_tests
