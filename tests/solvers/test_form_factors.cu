// Form factors between surface samples, compared with closed forms, and their general laws.
#include "renderer/form_factors/form_factors.h"

#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <set>

#include "accel/tree_builder.h"
#include "renderer/scene/live/live_scene.h"
#include "tests/oracle/patch_scenes.h"
#include "tests/solvers/svd_checks.h"

namespace tl::TL_DEVICE_NAME {

/// A square of the given width at height y about the y axis.
Mesh level_square(float y, float width) {
    Mesh mesh;
    float h = width / 2;
    mesh.positions = {{-h, y, h}, {h, y, h}, {h, y, -h}, {-h, y, -h}};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    mesh.material_of_triangle = {0, 0};
    return mesh;
}

/// The same square as a patch.
PatchSet level_patch(float y, float width) {
    PatchSet set;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            set.points.emplace_back(width * (static_cast<float>(i) / 3 - 0.5f), y,
                                    width * (static_cast<float>(j) / 3 - 0.5f));
    set.material_of_patch = {0};
    return set;
}

Scene scene_of(std::vector<Mesh> meshes) {
    Scene scene;
    scene.materials = {Material{}};
    scene.meshes = std::move(meshes);
    return scene;
}

/// Samples of a scene, and the form factors of some to others.
struct SampledScene {
    Stream& stream;
    LiveScene live;
    std::vector<SurfaceSample> samples;

    SampledScene(Stream& stream, Scratch& scratch, const Scene& scene, std::size_t n)
        : stream(stream), live(stream, std::make_shared<Scene>(scene)) {
        live.set_builder(make_tree_builder("hploc", stream.device()));
        StageTimer timer(stream);
        live.update(scratch, timer);
        samples = sample_surfaces(stream, live, n, 7);
    }
    [[nodiscard]] HostMatrix<double> factors(const std::vector<SurfaceSample>& from,
                                             const std::vector<SurfaceSample>& to) const {
        DeviceArray<SurfaceSample> a(stream, from), b(stream, to);
        DeviceArray<double> f(stream, from.size() * to.size());
        form_factors(stream, live.view().tree, a.view(), b.view(), f.view());
        HostMatrix<double> host(static_cast<int>(from.size()), static_cast<int>(to.size()));
        host.data = f.download(stream);
        return host;
    }
    template <class Chosen>
    [[nodiscard]] std::vector<SurfaceSample> where(Chosen chosen) const {
        std::vector<SurfaceSample> some;
        for (auto& sample : samples)
            if (chosen(sample)) some.push_back(sample);
        return some;
    }
};

bool is_high(const SurfaceSample& sample) {
    return sample.position.y > 0.5f;
}
bool is_low(const SurfaceSample& sample) {
    return sample.position.y < 0.25f;
}

double mean_row_sum(const HostMatrix<double>& f) {
    double sum = 0;
    for (double element : f.data) sum += element;
    return sum / f.rows;
}

/// Checks the factor of parallel unit squares at heights 0 and 1, with 1024 samples each.
void expect_factor_of_parallel_squares(const SampledScene& s) {
    auto f = s.factors(s.where(is_low), s.where(is_high));
    ASSERT_EQ(f.rows, 1024);
    // Howell's catalogue of factors, C-11, X = Y = 1.
    double root = std::sqrt(2.0), pi = std::acos(-1.0);
    double exact =
        2 / pi * (0.5 * std::log(4.0 / 3) + 2 * root * std::atan(1 / root) - 2 * std::atan(1.0));
    // 1024 strata per square: the error of random points within them is far below the tolerance.
    EXPECT_NEAR(mean_row_sum(f), exact, 0.005 * exact);
}

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(FormFactors, OfTwoParallelSquaresAreTheClosedForm) {
    SampledScene s(stream, scratch, scene_of({level_square(0, 1), level_square(1, 1)}), 2048);
    expect_factor_of_parallel_squares(s);
}

TL_DEVICE_TEST(FormFactors, OfPatchesAndInstancesAreTheClosedFormToo) {
    auto patches = scene_of({});
    patches.patches = {level_patch(0, 1), level_patch(1, 1)};
    expect_factor_of_parallel_squares(SampledScene(stream, scratch, patches, 2048));
    // A patch below, and above it an instanced square that is rotated, scaled and raised.
    auto mixed = scene_of({level_square(0.25f, 2)});
    mixed.meshes[0].instanced = true;
    mixed.patches = {level_patch(0, 1)};
    mat4 place = glm::translate(mat4(1), vec3(0, 0.75f, 0));
    place = glm::scale(glm::rotate(place, kPi / 2, vec3(0, 1, 0)), vec3(0.5f, 1, 0.5f));
    mixed.instances = {{0, place, -1, {}}};
    expect_factor_of_parallel_squares(SampledScene(stream, scratch, mixed, 2048));
}

TL_DEVICE_TEST(FormFactors, AreReciprocal) {
    SampledScene s(stream, scratch, scene_of({level_square(0, 1), level_square(1, 2)}), 600);
    auto low = s.where(is_low), high = s.where(is_high);
    for (std::size_t j = 0; j < high.size(); ++j) high[j].area *= float(1 + j % 3);
    auto f = s.factors(low, high), g = s.factors(high, low);
    for (int i = 0; i < f.rows; ++i)
        for (int j = 0; j < f.cols; ++j) {
            double there = double(low[i].area) * f(i, j), back = double(high[j].area) * g(j, i);
            ASSERT_GT(there, 0);
            ASSERT_NEAR(there, back, 1e-14 * there) << i << " " << j;
        }
}

TL_DEVICE_TEST(FormFactors, AreZeroBehindWhatLiesBetween) {
    auto open = scene_of({level_square(0, 1), level_square(1, 1)});
    auto closed = open;
    closed.meshes.push_back(level_square(0.4f, 3));
    auto half = open;
    half.meshes.push_back(level_square(0.4f, 0.5f));
    SampledScene a(stream, scratch, open, 400);
    auto low = a.where(is_low), high = a.where(is_high);
    auto free_sum = mean_row_sum(a.factors(low, high));
    auto blocked = SampledScene(stream, scratch, closed, 400).factors(low, high);
    for (double element : blocked.data) ASSERT_EQ(element, 0);
    auto half_sum = mean_row_sum(SampledScene(stream, scratch, half, 400).factors(low, high));
    EXPECT_GT(half_sum, 0);
    EXPECT_LT(half_sum, free_sum);
}

TL_DEVICE_TEST(FormFactors, OfAPlaneToItselfAndOfAPointToItselfAreZero) {
    SampledScene s(stream, scratch, scene_of({level_square(0, 1)}), 100);
    auto f = s.factors(s.samples, s.samples);
    for (double element : f.data) ASSERT_EQ(element, 0);
}

TL_DEVICE_TEST(FormFactors, SpectrumFallsFasterForClustersFarApart) {
    auto rank_of = [&](float distance) {
        SampledScene s(stream, scratch, scene_of({level_square(0, 1), level_square(distance, 1)}),
                       512);
        auto f = s.factors(s.where(is_low), s.where(is_high));
        Matrix<double> matrix(stream, f.rows, f.cols);
        matrix.upload(stream, f.data);
        auto values = test::solve<double>(stream, "auto", matrix.view(), {SvdVectors::none}).values;
        return std::count_if(values.begin(), values.end(),
                             [&](double value) { return value > 1e-6 * values[0]; });
    };
    auto near = rank_of(0.6f), middle = rank_of(1.5f), far = rank_of(6);
    EXPECT_GT(near, middle);
    EXPECT_GT(middle, far);
    EXPECT_LT(far, 20);
}

TL_DEVICE_TEST(SurfaceSamples, LieOnTheSurfacesByArea) {
    auto scene = scene_of({level_square(0, 1), level_square(1, 2)});
    scene.spheres = {{vec3(0, 5, 0), 0.5f, 0}};
    SampledScene s(stream, scratch, scene, 5000);
    double area = 5 + std::acos(-1.0), sum = 0;
    std::size_t n_sphere = 0, n_low = 0;
    for (auto& sample : s.samples) {
        sum += double(sample.area);
        ASSERT_NEAR(glm::length(sample.normal), 1, 1e-5);
        if (sample.position.y > 2) {
            ++n_sphere;
            ASSERT_NEAR(glm::distance(sample.position, vec3(0, 5, 0)), 0.5f, 1e-5f);
        } else {
            n_low += is_low(sample);
            ASSERT_EQ(std::abs(sample.normal.y), 1);
        }
    }
    EXPECT_NEAR(sum, area, 1e-3);
    // Strata limit the error of a surface's count to one at either end.
    EXPECT_NEAR(double(n_low), 5000 / area, 2);
    EXPECT_NEAR(double(n_sphere), 5000 * std::acos(-1.0) / area, 2);
}

TL_DEVICE_TEST(SurfaceSamples, LieOnInstancesByTheirTransforms) {
    auto scene = scene_of({level_square(0, 1), level_square(20, 1)});
    scene.meshes[0].instanced = true;
    // Areas 6, 4 and, not instanced, 1; one instance is upright, one is mirrored.
    mat4 wide = glm::scale(glm::translate(mat4(1), vec3(0, 5, 0)), vec3(2, 7, 3));
    mat4 upright = glm::rotate(glm::translate(mat4(1), vec3(9, 0, 0)), kPi / 2, vec3(0, 0, 1));
    upright = glm::scale(upright, vec3(-2, 1, 2));
    scene.instances = {{0, wide, -1, {}}, {0, upright, -1, {}}};
    SampledScene s(stream, scratch, scene, 3300);
    std::size_t n_wide = 0, n_upright = 0, n_own = 0;
    double sum = 0;
    for (auto& sample : s.samples) {
        sum += double(sample.area);
        vec3 p = sample.position;
        if (p.y > 19) {
            ++n_own;
        } else if (p.x > 8) {
            ++n_upright;
            ASSERT_NEAR(p.x, 9, 1e-5);
            ASSERT_LE(std::max(std::abs(p.y), std::abs(p.z)), 1.00001f);
            ASSERT_NEAR(std::abs(sample.normal.x), 1, 1e-6);
        } else {
            ++n_wide;
            ASSERT_NEAR(p.y, 5, 1e-5);
            ASSERT_LE(std::abs(p.x), 1.00001f);
            ASSERT_LE(std::abs(p.z), 1.50001f);
            ASSERT_NEAR(std::abs(sample.normal.y), 1, 1e-6);
        }
    }
    EXPECT_NEAR(sum, 11, 1e-3);
    EXPECT_NEAR(double(n_own), 300, 1);
    EXPECT_NEAR(double(n_wide), 1800, 2);
    EXPECT_NEAR(double(n_upright), 1200, 2);
}

TL_DEVICE_TEST(SurfaceSamples, LieOnPatchesByArea) {
    // A sphere of rational patches, each with an edge collapsed to a point.
    SampledScene s(stream, scratch, *test::sphere_scene(), 8000);
    double sum = 0, squares = 0;
    std::vector<std::size_t> octants(8, 0);
    for (auto& sample : s.samples) {
        sum += double(sample.area);
        ASSERT_NEAR(glm::length(sample.position), 1, 1e-5);
        ASSERT_NEAR(std::abs(glm::dot(sample.position, sample.normal)), 1, 1e-4);
        squares += double(sample.position.z) * double(sample.position.z);
        auto& p = sample.position;
        ++octants[(p.x < 0 ? 1 : 0) + (p.y < 0 ? 2 : 0) + (p.z < 0 ? 4 : 0)];
    }
    double area = 4 * std::acos(-1.0);
    EXPECT_NEAR(sum, area, 2e-4 * area);
    // Heights are uniformly distributed from pole to pole (Archimedes).
    EXPECT_NEAR(squares / 8000, 1.0 / 3, 2e-3);
    for (auto count : octants) EXPECT_NEAR(double(count), 1000, 2);
}

TL_DEVICE_TEST(SurfaceSamples, OfManyPatchesAddUpToTheirArea) {
    // Enough patches that each has few cells: flat strips of one square.
    auto scene = scene_of({});
    constexpr int kStrips = 5000;
    PatchSet strips;
    for (int k = 0; k < kStrips; ++k)
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                strips.points.emplace_back(
                    (static_cast<float>(k) + static_cast<float>(i) / 3) / kStrips, 0,
                    static_cast<float>(j) / 3);
    strips.material_of_patch.assign(kStrips, 0);
    scene.patches = {strips};
    SampledScene s(stream, scratch, scene, 1000);
    double sum = 0, x = 0, z = 0;
    for (auto& sample : s.samples) {
        sum += double(sample.area);
        x += double(sample.position.x) / 1000;
        z += double(sample.position.z) / 1000;
        ASSERT_EQ(std::abs(sample.normal.y), 1);
    }
    EXPECT_NEAR(sum, 1, 1e-4);
    EXPECT_NEAR(x, 0.5, 2e-3);
    EXPECT_NEAR(z, 0.5, 0.05);
}

TL_DEVICE_TEST(SurfaceSamples, AreSplitIntoRunsOfNeighbours) {
    SampledScene s(stream, scratch, scene_of({level_square(0, 1), level_square(9, 1)}), 801);
    auto clusters = split_samples(s.samples, 8);
    ASSERT_EQ(clusters.size(), 8u);
    std::size_t next = 0;
    for (auto& cluster : clusters) {
        EXPECT_EQ(cluster.first, next);
        EXPECT_NEAR(double(cluster.count), 100, 1);
        next += cluster.count;
        for (std::size_t i = cluster.first; i < next; ++i)
            EXPECT_LE(glm::distance(s.samples[i].position, cluster.center),
                      cluster.radius * 1.0001f);
        // A quarter of a square, but for the one that took a sample of the other.
        bool took = cluster.first == 400 || cluster.first + cluster.count == 400;
        EXPECT_TRUE(took || cluster.radius < 0.6f) << cluster.radius;
    }
    EXPECT_EQ(next, 801u);
    EXPECT_GT(separation(clusters[0], clusters[7]), 5);
    EXPECT_THROW((void)split_samples(s.samples, 3), UsageError);
    EXPECT_THROW((void)split_samples(s.samples, 1024), UsageError);
}

TL_DEVICE_TEST(SurfaceSamples, OfNothingAreRefusedInWords) {
    LiveScene live(stream, std::make_shared<Scene>());
    EXPECT_THROW((void)sample_surfaces(stream, live, 10, 0), UserError);
}
