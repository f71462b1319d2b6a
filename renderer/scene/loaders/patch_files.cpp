#include "renderer/scene/loaders/patch_files.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/scene/loaders/number_reader.h"

namespace tl {
namespace {

/// A homogeneous control point (multiplied by its weight), for degree elevation.
using Point = glm::dvec4;

constexpr std::int64_t kMostPatches = 10'000'000;
constexpr std::size_t kLargestFile = std::size_t{4} << 30;

/// Elevates a curve of degree 1 to 3 to a cubic; its control points are `stride` apart.
std::array<Point, 4> raised(const Point* points, std::size_t stride, int degree) {
    std::vector<Point> curve;
    for (int k = 0; k <= degree; ++k) curve.push_back(points[static_cast<std::size_t>(k) * stride]);
    for (int d = degree; d < 3; ++d) {
        std::vector<Point> higher{curve.front()};
        for (int k = 1; k <= d; ++k) {
            double share = double(k) / (d + 1);
            auto i = static_cast<std::size_t>(k);
            higher.push_back(share * curve[i - 1] + (1 - share) * curve[i]);
        }
        higher.push_back(curve.back());
        curve = higher;
    }
    return {curve[0], curve[1], curve[2], curve[3]};
}

/// Elevates a net of (degree_u + 1) rows of degree_v + 1 points to a bicubic patch.
std::array<Point, 16> raised(const std::vector<Point>& net, int degree_u, int degree_v) {
    auto columns = static_cast<std::size_t>(degree_v) + 1;
    std::vector<Point> wide;  // rows of four
    for (std::size_t i = 0; i <= static_cast<std::size_t>(degree_u); ++i)
        for (auto& p : raised(net.data() + i * columns, 1, degree_v)) wide.push_back(p);
    std::array<Point, 16> patch;
    for (std::size_t j = 0; j < 4; ++j) {
        auto column = raised(wide.data() + j, 4, degree_u);
        for (std::size_t i = 0; i < 4; ++i) patch[4 * i + j] = column[i];
    }
    return patch;
}

/// Reads .bpt and .bez: the count of patches, then for each its degrees in v and u (u changes from
/// row to row, as in the teapot's file) and its points, row after row. With `weighted` reads .bbp,
/// which has a fourth number per point, its weight; points are not multiplied by it.
PatchSet read_counted_patches(const std::string& text, const std::string& file, bool weighted) {
    NumberReader reader(text, file);
    auto n_patches = reader.integer("the count of patches", 1, kMostPatches);
    PatchSet set;
    for (std::int64_t k = 0; k < n_patches; ++k) {
        auto degree_u = static_cast<int>(reader.integer("a patch's degree in u", 1, 3));
        auto degree_v = static_cast<int>(reader.integer("a patch's degree in v", 1, 3));
        std::vector<Point> net;
        for (int i = 0; i < (degree_u + 1) * (degree_v + 1); ++i) {
            Point p(0, 0, 0, 1);
            for (int axis = 0; axis < 3; ++axis)
                p[axis] = double(reader.coordinate("a control point's coordinate"));
            if (weighted) {
                double w = double(reader.coordinate("a control point's weight"));
                if (!(w > 1e-6 && w < 1e6)) reader.fail("a weight is not from 1e-6 to 1e6");
                p = Point(glm::dvec3(p) * w, w);
            }
            net.push_back(p);
        }
        for (auto& p : raised(net, degree_u, degree_v)) {
            set.points.push_back(vec3(glm::dvec3(p) / p.w));
            if (weighted) set.weights.push_back(static_cast<float>(p.w));
        }
        set.material_of_patch.push_back(0);
    }
    if (!reader.at_end())
        reader.fail("the file continues after its " + std::to_string(n_patches) + " patches");
    // Equal weights have no effect.
    if (std::ranges::all_of(set.weights, [&](float w) { return w == set.weights[0]; }))
        set.weights.clear();
    return set;
}

}  // namespace

const std::vector<std::string>& patch_extensions() {
    static const std::vector<std::string> extensions{".bpt", ".bez", ".bbp", ".pov", ".inc"};
    return extensions;
}

void add_patches(Scene& scene, const std::string& path, const std::string& ending,
                 const ReadContext& context) {
    std::string text = read_text_file(path, context, kLargestFile);
    PatchSet set = ending == ".pov" || ending == ".inc"
                       ? read_povray_patches(text, path, scene.warnings)
                       : read_counted_patches(text, path, ending == ".bbp");
    set.name = std::filesystem::path(path).stem().string();
    scene.patches.push_back(std::move(set));
}

}  // namespace tl
