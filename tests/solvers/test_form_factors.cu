// Form factors between samples of surfaces, against closed forms and their own laws.
#include "renderer/form_factors/form_factors.h"

#include <cmath>
#include <set>

#include "accel/tree_builder.h"
#include "renderer/scene/live_scene.h"
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
        samples = sample_surfaces(stream, live.view(), n, 7);
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

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(FormFactors, OfTwoParallelSquaresAreTheClosedForm) {
    SampledScene s(stream, scratch, scene_of({level_square(0, 1), level_square(1, 1)}), 2048);
    auto f = s.factors(s.where(is_low), s.where(is_high));
    ASSERT_EQ(f.rows, 1024);
    // Unit squares a unit apart (Howell's catalogue of factors, C-11, X = Y = 1).
    double root = std::sqrt(2.0), pi = std::acos(-1.0);
    double exact =
        2 / pi * (0.5 * std::log(4.0 / 3) + 2 * root * std::atan(1 / root) - 2 * std::atan(1.0));
    // 1024 strata to a square: what their random points add stays far below that.
    EXPECT_NEAR(mean_row_sum(f), exact, 0.005 * exact);
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
    // Strata: no surface is off by more than one of them at either end.
    EXPECT_NEAR(double(n_low), 5000 / area, 2);
    EXPECT_NEAR(double(n_sphere), 5000 * std::acos(-1.0) / area, 2);
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
        if (cluster.first != 400 && cluster.first + cluster.count != 400)
            EXPECT_LT(cluster.radius, 0.6f);
    }
    EXPECT_EQ(next, 801u);
    EXPECT_GT(separation(clusters[0], clusters[7]), 5);
    EXPECT_THROW((void)split_samples(s.samples, 3), UsageError);
    EXPECT_THROW((void)split_samples(s.samples, 1024), UsageError);
}

TL_DEVICE_TEST(SurfaceSamples, OfNothingAreRefusedInWords) {
    LiveScene live(stream, std::make_shared<Scene>());
    EXPECT_THROW((void)sample_surfaces(stream, live.view(), 10, 0), UserError);
}
