// Sums by expansions (FMM) against direct ones, and those against plain loops in double precision.
#include "tests/device_test.h"
#include "tests/long_test.h"
#include "tests/unit/fmm/fmm_cases.h"

namespace tl::TL_DEVICE_NAME {
namespace {

constexpr FmmBasis kExpansions[] = {FmmBasis::interpolation, FmmBasis::harmonics};

double kernel_of(const Surfel& x, const Surfel& y, float value) {
    glm::dvec3 d = glm::dvec3(y.position) - glm::dvec3(x.position);
    double distance = glm::length(d);
    return distance > 0 ? double(value) / distance : 0;
}

glm::dvec3 kernel_of(const Surfel& x, const Surfel& y, vec3 value) {
    glm::dvec3 d = glm::dvec3(y.position) - glm::dvec3(x.position);
    double at_target = std::max(0.0, glm::dot(glm::dvec3(x.normal), d));
    double at_source = std::max(0.0, -glm::dot(glm::dvec3(y.normal), d));
    const double pi = 3.14159265358979323846;
    double square = glm::dot(d, d), fourth = square * square;
    double piece = std::max(0.16 * double(y.area) * double(y.area), 1e-36);
    double between = std::max(fourth, (1 - 0.16 / 9) * fourth + piece);
    return at_target * at_source * double(y.area) / (pi * between) * glm::dvec3(value);
}

template <class Value>
void expect_direct_sums(Stream& stream, Scratch& scratch, const test::Surfels& surfels) {
    test::SumCase<Value> sums(stream, scratch, surfels, 16);
    auto direct = sums.directly();
    std::vector<Value> plain(direct.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
        decltype(kernel_of(Surfel{}, Surfel{}, Value{})) sum{};
        for (std::size_t j = 0; j < plain.size(); ++j)
            sum += kernel_of(sums.host.points[i], sums.host.points[j], sums.values[j]);
        plain[i] = Value(sum);
    }
    // Sums of a thousand numbers in single precision.
    EXPECT_LT(test::rms_error(direct, plain), 2e-6);
}

/// Separated clusters of sources and of targets. Each is a single point, whose position expansions
/// represent exactly, or many points.
struct TwoClusters {
    test::Surfels surfels;

    TwoClusters(std::size_t n_targets, std::size_t n_sources) {
        auto add = [&](std::size_t n, vec3 middle, vec3 normal) {
            for (auto surfel : test::surfels_of("cube", n, 9)) {
                surfel.position = middle + 0.5f * surfel.position;
                surfel.area = 0.5f;
                surfel.normal = normal;
                surfels.push_back(surfel);
            }
        };
        add(n_targets, {-2, 0.25f, 0.5f}, {1, 0, 0});
        add(n_sources, {2, -0.25f, 0}, {-1, 0, 0});
    }
    /// Highest node all of whose points have x < 0, or x > 0.
    static std::uint32_t node_of(const test::HostOctree& host, bool left) {
        for (std::uint32_t k = 0; k < host.nodes.size(); ++k) {
            bool is_it = true;
            for (std::uint32_t i = host.nodes[k].first; i < host.nodes[k].end; ++i)
                is_it = is_it && (host.points[i].position.x < 0) == left;
            if (is_it) return k;
        }
        return 0;
    }
};

/// All orders of a form of expansions.
std::vector<FmmExpansion> all_orders(FmmBasis basis) {
    bool is_series = basis == FmmBasis::harmonics;
    std::vector<FmmExpansion> expansions;
    for (int order = FmmOrder::kLeast;
         order <= (is_series ? FmmOrder::kMostHarmonics : FmmOrder::kMost); ++order)
        expansions.push_back({basis, order});
    return expansions;
}

/// Errors of the targets' sums over the sources by one far link, for each order.
template <class Value>
std::vector<double> errors_of_link(Stream& stream, Scratch& scratch, FmmBasis basis,
                                   std::size_t n_targets, std::size_t n_sources, int leaf_size) {
    test::SumCase<Value> sums(stream, scratch, TwoClusters(n_targets, n_sources).surfels,
                              leaf_size);
    std::uint32_t target = TwoClusters::node_of(sums.host, true);
    std::uint32_t source = TwoClusters::node_of(sums.host, false);
    // Sources within the target cluster are excluded.
    for (std::size_t i = 0; i < sums.values.size(); ++i)
        if (sums.host.points[i].position.x < 0) sums.values[i] = Value(0);
    auto of_targets = [&](const std::vector<Value>& all) {
        auto& node = sums.host.nodes[target];
        return std::vector<Value>(all.begin() + node.first, all.begin() + node.end);
    };
    auto truth = of_targets(sums.directly());
    sums.set_links({{target, {source, 1}}}, {});
    std::vector<double> errors;
    for (FmmExpansion expansion : all_orders(basis))
        errors.push_back(test::rms_error(of_targets(sums.by_expansions(expansion)), truth));
    return errors;
}

template <class Value>
void expect_operators(Stream& stream, Scratch& scratch, FmmBasis basis) {
    // M2L from a point to a point has only rounding errors, whatever the order: those of weights at
    // up to 216 interpolation nodes.
    for (double error : errors_of_link<Value>(stream, scratch, basis, 1, 1, 1))
        EXPECT_LT(error, 1e-5);
    // P2M, M2M, L2P and L2L, each with only the operators before it as further sources of error.
    // The gap between the clusters is two of their radii: each order gains a factor of four or
    // more. Series of two degrees have a mere slope, which is the same everywhere.
    double most = basis == FmmBasis::harmonics ? 0.3 : 5e-2;
    struct {
        const char* name;
        std::size_t n_targets, n_sources;
        int leaf_size;
    } cases[] = {{"P2M", 1, 200, 200},
                 {"M2M", 1, 200, 8},
                 {"L2P", 200, 1, 200},
                 {"L2L", 200, 1, 8},
                 {"all", 200, 200, 8}};
    for (auto& c : cases) {
        SCOPED_TRACE(c.name);
        auto errors =
            errors_of_link<Value>(stream, scratch, basis, c.n_targets, c.n_sources, c.leaf_size);
        EXPECT_LT(errors[0], most);
        EXPECT_LT(test::decay_of(errors), 0.25);
        EXPECT_LT(errors.back(), 1e-4);
    }
}

template <class Value>
std::vector<double> errors_by_order(test::SumCase<Value>& sums,
                                    const std::vector<FmmExpansion>& expansions) {
    auto truth = sums.directly();
    std::vector<double> errors;
    for (FmmExpansion expansion : expansions)
        errors.push_back(test::rms_error(sums.by_expansions(expansion), truth));
    return errors;
}

template <class Value>
void expect_chosen_errors(Stream& stream, Scratch& scratch, FmmKernel kernel, FmmBasis basis,
                          const std::vector<std::string>& shapes) {
    for (auto& shape : shapes)
        for (float error : {1e-2f, 3e-3f, 1e-3f, 3e-4f, 1e-4f, 1e-5f}) {
            SCOPED_TRACE(shape + " " + std::to_string(error));
            FmmChoice choice = choose_fmm(kernel, error, basis);
            choice.leaf_size /= 4;  // for as deep a tree as many more points would have
            choice.links.few = {};
            auto surfels = test::shaped(shape, 1000);
            // Smaller than their distances, so that no two are neighbours (piece_distance.h).
            for (auto& surfel : surfels) surfel.area *= 0.1f;
            test::SumCase<Value> sums(stream, scratch, surfels, choice.leaf_size);
            auto found = sums.find_links(choice.links);
            EXPECT_GT(found.far, 0u);
            EXPECT_LT(test::rms_error(sums.by_expansions(choice.expansion), sums.directly()),
                      error);
        }
}

}  // namespace

TL_DEVICE_TEST(DirectSum, IsThatOfPlainLoops) {
    for (std::size_t n : {1, 2, 37, 900}) {
        expect_direct_sums<float>(stream, scratch, test::shaped("cube", n));
        expect_direct_sums<vec3>(stream, scratch, test::shaped("sphere", n));
        expect_direct_sums<vec3>(stream, scratch, test::shaped("cube", n));
    }
    // Coincident points, points without area or normal, and points that are not finite.
    expect_direct_sums<float>(stream, scratch, test::surfels_of("one place", 50));
    expect_direct_sums<vec3>(stream, scratch, test::surfels_of("grid", 300));
    expect_direct_sums<float>(stream, scratch, test::surfels_of("nowhere", 300));
}

TL_DEVICE_TEST(Fmm, OperatorsAreExactToTheirOrder) {
    for (FmmBasis basis : kExpansions) {
        expect_operators<float>(stream, scratch, basis);
        expect_operators<vec3>(stream, scratch, basis);
    }
}

TL_DEVICE_TEST(Fmm, ErrorsDecayGeometricallyWithTheOrder) {
    TL_LONG_TEST();
    LinkConfig config;
    config.theta = 0.6f;
    config.slack = 1e-5f;
    test::SumCase<float> potential(stream, scratch, test::shaped("cube", 1000), 16);
    potential.find_links(config);
    auto places = all_orders(FmmBasis::interpolation), series = all_orders(FmmBasis::harmonics);
    EXPECT_LT(test::decay_of(errors_by_order(potential, places)), 0.25);
    EXPECT_LT(test::decay_of(errors_by_order(potential, series)), 0.5);
    test::SumCase<vec3> light(stream, scratch, test::shaped("sphere", 1000), 16);
    light.find_links(config);
    EXPECT_LT(test::decay_of(errors_by_order(light, places)), 0.25);
    EXPECT_LT(test::decay_of(errors_by_order(light, series)), 0.5);
    // At the highest order only rounding is left, that of polynomials whose weights have either
    // sign.
    test::SumCase<float> few(stream, scratch, test::shaped("cube", 300), 16);
    few.find_links(config);
    for (double error : errors_by_order(few, {places.back()})) EXPECT_LT(error, 1e-5);
}

TL_DEVICE_TEST(Fmm, KeepsTheErrorThatWasAskedFor) {
    TL_LONG_TEST();
    for (FmmBasis basis : kExpansions) {
        expect_chosen_errors<float>(stream, scratch, FmmKernel::inverse_distance, basis,
                                    {"cube", "sphere", "plummer", "clusters"});
        expect_chosen_errors<vec3>(stream, scratch, FmmKernel::radiosity, basis, {"sphere", "box"});
    }
    EXPECT_THROW((void)choose_fmm(FmmKernel::radiosity, 1e-7f), UsageError);
    EXPECT_THROW((void)choose_fmm(FmmKernel::radiosity, NAN), UsageError);
}

TL_DEVICE_TEST(Fmm, InsideOfASphereEveryPointGetsTheMean) {
    // The kernel is 1 / 4 pi for every pair, at any distance: a point receives the mean of all
    // values but its own. About six neighbours of 2,000 contribute up to a seventh less.
    constexpr std::size_t kPoints = 2000;
    test::SumCase<vec3> sums(stream, scratch, test::spiral_sphere(kPoints), 32);
    for (auto& value : sums.values) value = vec3(1, 0.5f, 0);
    FmmChoice choice = choose_fmm(FmmKernel::radiosity, 1e-3f);
    choice.links.few = {};
    EXPECT_GT(sums.find_links(choice.links).far, 0u);
    float share = float(kPoints - 1) / float(kPoints);
    auto direct = sums.directly(), fast = sums.by_expansions(choice.expansion);
    for (std::size_t i = 0; i < kPoints; ++i) {
        EXPECT_NEAR(direct[i].x, share, 4e-4f);
        EXPECT_NEAR(direct[i].y, share / 2, 2e-4f);
        EXPECT_EQ(direct[i].z, 0);
        EXPECT_NEAR(fast[i].x, share, 3e-3f);  // thrice the root mean square
        EXPECT_EQ(fast[i].z, 0);
    }
}

TL_DEVICE_TEST(Fmm, PlatesBackToBackExchangeNothing) {
    test::Surfels surfels;
    test::add_plate(surfels, 600, 0.1f, 1);
    test::add_plate(surfels, 600, -0.1f, -1);
    test::SumCase<vec3> sums(stream, scratch, surfels, 16);
    auto found = sums.find_links(choose_fmm(FmmKernel::radiosity, 1e-3f).links);
    EXPECT_EQ(found.far, 0u);
    for (vec3 sum : sums.by_expansions({})) EXPECT_EQ(sum, vec3(0));
    // Face to face they do.
    for (auto& surfel : surfels) surfel.normal = -surfel.normal;
    test::SumCase<vec3> facing(stream, scratch, surfels, 16);
    facing.find_links(choose_fmm(FmmKernel::radiosity, 1e-3f).links);
    auto truth = facing.directly();
    EXPECT_LT(test::rms_error(facing.by_expansions({}), truth), 1e-3);
    EXPECT_GT(truth[0].x, 0.1f);
}

TL_DEVICE_TEST(Fmm, WhereBoxesAreFlatOnePlaceAcrossThemDoes) {
    // Flat leaves and nodes on two planes, below nodes that are not flat, one of which holds both.
    test::Surfels surfels;
    test::add_plate(surfels, 2000, -0.6f, 1);
    test::add_plate(surfels, 2000, 0.6f, -1);
    for (int order = 2; order <= 4; ++order) {
        test::SumCase<vec3> sums(stream, scratch, surfels, 16);
        auto choice = choose_fmm(FmmKernel::radiosity, 1e-3f);
        choice.links.few = {8, 0};
        EXPECT_GT(sums.find_links(choice.links).far, 1000u);
        const double most[] = {8e-3, 5e-4, 1e-4};
        EXPECT_LT(
            test::rms_error(sums.by_expansions({FmmBasis::interpolation, order}), sums.directly()),
            most[order - 2]);
    }
}

TL_DEVICE_TEST(Fmm, WeightsOfLinksScaleWhatTheyCarry) {
    test::SumCase<vec3> sums(stream, scratch, test::shaped("box", 800), 8);
    sums.find_links(choose_fmm(FmmKernel::radiosity, 1e-2f).links);
    auto whole = sums.by_expansions({});
    for (auto* list : {&sums.links.far, &sums.links.near}) {
        auto links = list->links.download(stream);
        for (auto& link : links) link.weight = 0.5f;
        list->links.assign(stream, std::span<const NodeLink>(links));
    }
    auto half = sums.by_expansions({});
    for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(half[i], 0.5f * whole[i]);
}

TL_DEVICE_TEST(Fmm, GivesTheSameBitsAgainAndNearlyThoseOfTheCpu) {
    Device& host_device = find_device("cpu");
    auto host_stream = host_device.create_stream();
    Scratch host_scratch(*host_stream);
    test::Surfels surfels = test::shaped("box", 2500);
    FmmChoice choice = choose_fmm(FmmKernel::radiosity, 1e-3f);
    auto run = [&](Stream& on, Scratch& memory) {
        test::SumCase<vec3> sums(on, memory, surfels, 32);
        sums.find_links(choice.links);
        return sums.by_expansions(choice.expansion);
    };
    std::vector<std::vector<vec3>> runs;
    for (int k = 0; k < 3; ++k) {
        {
            Scratch::Scope scope(scratch);  // memory of NaN
            fill(stream, scratch.take<std::uint32_t>(std::size_t(1) << 22), ~0u);
        }
        runs.push_back(run(stream, scratch));
    }
    EXPECT_EQ(runs[0], runs[1]);
    EXPECT_EQ(runs[0], runs[2]);
    // Sums of a thousand numbers in another order.
    EXPECT_LT(test::rms_error(runs[0], run(*host_stream, host_scratch)), 3e-6);
}

TL_DEVICE_TEST(Fmm, SumsOfNoneOneAndTwoPoints) {
    for (std::size_t n : {0, 1, 2}) {
        test::SumCase<float> sums(stream, scratch, test::shaped("cube", n), 1);
        sums.find_links({});
        EXPECT_EQ(sums.by_expansions({FmmBasis::interpolation, 2}), sums.directly());
    }
    test::SumCase<float> sums(stream, scratch, test::shaped("cube", 2), 1);
    sums.find_links({});
    EXPECT_THROW(sums.by_expansions({FmmBasis::interpolation, 9}), UsageError);
}

}  // namespace tl::TL_DEVICE_NAME
