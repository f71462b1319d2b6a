// `treelight bench fmm`: sums over all pairs of points by the fast multipole method, stage by
// stage, beside the direct sum, with the errors at some of the points.
#include <algorithm>
#include <cmath>

#include "accel/fmm/chebyshev.h"
#include "accel/fmm/direct_sum.h"
#include "accel/fmm/fmm.h"
#include "accel/fmm/fmm_choice.h"
#include "accel/octree/octree_builder.h"
#include "app/commands/bench_options.h"
#include "app/commands/bench_points.h"
#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/bench_progress.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/text_table.h"
#include "app/jobs/work_timer.h"
#include "core/base/random.h"
#include "renderer/scene/loaders/loader.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct FmmBenchOptions {
    std::string kernel = "radiosity", shape = "box", expansions = "interpolation";
    int points = 125'000;
    std::string input;  ///< a scene whose points replace those
    float error = 1e-3f;
    int order = 0, leaf = 0;      ///< 0: by the error
    float theta = 0, slack = -1;  ///< 0 and negative: by the error
    int few_pairs = -1;           ///< negative: by the error
    int sample = 2000;            ///< points whose errors are measured
    bool direct = false;
    BenchRepeats repeats{20};
    std::uint64_t seed = 1;
    std::string device = "auto";
    std::string json;
    bool allow_outside = false;

    [[nodiscard]] FmmKernel kernel_id() const {
        return kernel == "radiosity" ? FmmKernel::radiosity : FmmKernel::inverse_distance;
    }
    [[nodiscard]] FmmChoice choice() const {
        FmmChoice c =
            choose_fmm(kernel_id(), error,
                       expansions == "harmonics" ? FmmBasis::harmonics : FmmBasis::interpolation);
        if (order) {
            c.expansion.order = order;
            if (c.links.few.order) c.links.few.order = order;
        }
        if (leaf) c.leaf_size = leaf;
        if (theta > 0) c.links.theta = theta;
        if (slack >= 0) c.links.slack = slack;
        if (few_pairs >= 0) c.links.few = {static_cast<std::uint32_t>(few_pairs), 0};
        return c;
    }
};

struct FmmMeasurement {
    OctreeHeader tree;
    LinkCounts links;
    double near_pairs = 0;  ///< of points, that near links sum
    double term_pairs = 0;  ///< of terms of expansions, that far links sum
    Timing build_ms, links_ms, sum_ms, direct_ms;
    std::vector<StageTime> stages;         ///< of a sum, medians
    double rms = 0;                        ///< of errors, as a part of that of sums
    double median = 0, p99 = 0, most = 0;  ///< of errors as parts of sums
    std::size_t link_bytes = 0, scratch_bytes = 0;
};

double size_of(float value) {
    return std::abs(double(value));
}
double size_of(vec3 value) {
    return double(glm::length(value));
}

/// Values of float for inverse distances, of vec3 for radiosity.
template <class Value>
class FmmBench {
  public:
    FmmBench(Device& device, const FmmBenchOptions& o, const std::vector<Surfel>& points)
        : o_(o),
          choice_(o.choice()),
          device_(device),
          stream_(device.create_stream()),
          scratch_(*stream_),
          progress_(o.direct ? 5 : 4),
          timer_(*stream_, o.repeats.count(), o.repeats.most_seconds(), progress_.phases()),
          stages_(*stream_),
          points_(*stream_, std::span<const Surfel>(points)) {
        stages_.enable(false);
    }

    [[nodiscard]] FmmMeasurement measure() {
        FmmMeasurement m;
        progress_.begin("tree");
        build_tree(m);
        progress_.end();
        print_time("tree", m.build_ms);
        if (m.tree.n_points == 0) return m;
        set_values(m.tree.n_points);
        progress_.begin("links");
        m.links_ms = timer_.time(o_.repeats.count(), [&] { m.links = find_all_links(m.tree); });
        count_pairs(m);
        progress_.end();
        print_time("links", m.links_ms);
        progress_.begin("sum");
        m.sum_ms = timer_.time(o_.repeats.count(), [&] { sum(m.tree); });
        measure_stages(m);
        progress_.end();
        print_time("sum", m.sum_ms);
        for (auto& stage : m.stages)
            table_.row("- " + stage.name)
                .number("median ms", double(stage.milliseconds))
                .cell("p95 ms", "")
                .print();
        progress_.begin("errors");
        measure_errors(m);
        progress_.end();
        if (o_.direct) {
            progress_.begin("direct sum");
            measure_direct(m);
            progress_.end();
            print_time("direct sum", m.direct_ms);
        }
        m.link_bytes = links_.bytes();
        m.scratch_bytes = scratch_.capacity();
        return m;
    }

  private:
    void print_time(const char* name, const Timing& time) {
        table_.row(name).number("median ms", time.median).number("p95 ms", time.p95).print();
    }
    void build_tree(FmmMeasurement& m) {
        OctreeConfig config;
        config.leaf_size = choice_.leaf_size;
        config.by_normal = std::is_same_v<Value, vec3>;
        auto builder = make_octree_builder("modern", device_);
        auto build = [&] { builder->build(scratch_, points_.view(), config, tree_, stages_); };
        do {
            build();
        } while (tree_.make_room(*stream_));
        m.build_ms = timer_.time(o_.repeats.count(), build);
        m.tree = tree_.header(*stream_);
    }
    void set_values(std::uint32_t n) {
        std::vector<Value> values(n);
        for (std::uint32_t i = 0; i < n; ++i) {
            Philox4 bits = philox4x32(i, 0, 0, 0, static_cast<std::uint32_t>(o_.seed), 0x666d6d);
            if constexpr (std::is_same_v<Value, float>)
                values[i] = to_unit_float(bits.v[0]);
            else
                for (int c = 0; c < 3; ++c) values[i][c] = to_unit_float(bits.v[c]);
        }
        values_.assign(*stream_, std::span<const Value>(values));
        sums_.resize_discard(*stream_, n);
    }
    LinkCounts find_all_links(const OctreeHeader& header) {
        if constexpr (std::is_same_v<Value, float>)
            return TL_DISPATCH(device_, find_links(scratch_, tree_.view(), header, choice_.links,
                                                   room_, links_, stages_));
        else
            return TL_DISPATCH(device_, find_facing_links(scratch_, tree_.view(), header,
                                                          choice_.links, room_, links_, stages_));
    }
    void sum(const OctreeHeader& header) {
        TL_DISPATCH(device_,
                    sum_by_expansions(scratch_, tree_.view(), header, links_.view(),
                                      choice_.expansion, values_.view(), sums_.view(), stages_));
    }
    void count_pairs(FmmMeasurement& m) {
        std::vector<OctreeNode> nodes(m.tree.n_nodes);
        device_.download(*stream_, nodes.data(), tree_.view().nodes.data,
                         nodes.size() * sizeof(OctreeNode));
        auto begin = links_.near.begin.download(*stream_);
        auto near = links_.near.links.download(*stream_);
        for (std::size_t k = 0; k < nodes.size(); ++k)
            for (std::size_t i = begin[k]; i < begin[k + 1]; ++i)
                m.near_pairs += double(nodes[k].count()) * nodes[near[i].source].count();
        m.term_pairs = count_term_pairs(nodes.size());
    }
    /// Number of pairs of terms that all far links sum. For interpolation, a box counts one node
    /// along each axis in which it is flat. For series, every link counts in full.
    double count_term_pairs(std::size_t n_nodes) {
        FmmExpansion expansion = choice_.expansion;
        auto of_whole = double(pairs_of_terms(o_.kernel_id(), expansion));
        auto begin = links_.far.begin.download(*stream_);
        auto far = links_.far.links.download(*stream_);
        if (expansion.basis != FmmBasis::interpolation) return of_whole * double(far.size());
        std::vector<OctreeAttributes> of(n_nodes);
        device_.download(*stream_, of.data(), tree_.view().attributes.data, n_nodes * sizeof of[0]);
        double n = 0;
        auto n_flat = [&](std::size_t k) {
            return cpu::ExpansionBox(of[k].box, expansion.order).n_flat();
        };
        for (std::size_t k = 0; k < n_nodes; ++k)
            for (std::size_t i = begin[k]; i < begin[k + 1]; ++i)
                n +=
                    of_whole / std::pow(double(expansion.order), n_flat(k) + n_flat(far[i].source));
        return n;
    }
    void measure_stages(FmmMeasurement& m) {
        std::vector<std::vector<double>> times;
        stages_.enable(true);
        RepeatCounter counter(device_, o_.repeats.count(), o_.repeats.most_seconds(),
                              progress_.phases());
        while (counter.continues()) {
            stages_.begin_frame();
            sum(m.tree);
            stages_.end_frame();
            stages_.flush();
            m.stages = stages_.latest();
            times.resize(m.stages.size());
            for (std::size_t k = 0; k < times.size(); ++k)
                times[k].push_back(double(m.stages[k].milliseconds));
            counter.add(times.back().back());  // the frame
        }
        stages_.enable(false);
        for (std::size_t k = 0; k < times.size(); ++k)
            m.stages[k].milliseconds = static_cast<float>(median(times[k]));
        m.stages.pop_back();  // the frame
    }
    void measure_errors(FmmMeasurement& m) {
        std::size_t n = std::min<std::size_t>(m.tree.n_points, std::size_t(o_.sample));
        std::vector<std::uint32_t> targets(n);
        for (std::size_t i = 0; i < n; ++i)
            targets[i] = static_cast<std::uint32_t>(i * m.tree.n_points / n);
        auto truth = direct_sums(targets);
        auto sums = sums_.download(*stream_);
        std::vector<double> errors;
        double squares = 0, error_squares = 0;
        for (std::size_t i = 0; i < n; ++i) {
            double size = size_of(truth[i]), error = size_of(sums[targets[i]] - truth[i]);
            squares += size * size;
            error_squares += error * error;
            if (size > 0) errors.push_back(error / size);
        }
        m.rms = squares > 0 ? std::sqrt(error_squares / squares) : 0;
        std::sort(errors.begin(), errors.end());
        if (errors.empty()) return;
        m.median = errors[errors.size() / 2];
        m.p99 = errors[errors.size() * 99 / 100];
        m.most = errors.back();
    }
    std::vector<Value> direct_sums(const std::vector<std::uint32_t>& targets) {
        DeviceArray<std::uint32_t> of(*stream_, std::span<const std::uint32_t>(targets));
        DeviceArray<Value> sums(*stream_, targets.size());
        TL_DISPATCH(device_, sum_directly(scratch_, points_of_tree(), values_.view(), of.view(),
                                          sums.view()));
        return sums.download(*stream_);
    }
    void measure_direct(FmmMeasurement& m) {
        std::vector<std::uint32_t> all(m.tree.n_points);
        for (std::uint32_t i = 0; i < m.tree.n_points; ++i) all[i] = i;
        DeviceArray<std::uint32_t> of(*stream_, std::span<const std::uint32_t>(all));
        m.direct_ms = timer_.time(std::min(o_.repeats.count(), 5), [&] {
            TL_DISPATCH(device_, sum_directly(scratch_, points_of_tree(), values_.view(), of.view(),
                                              sums_.view()));
        });
    }
    [[nodiscard]] View<const Surfel> points_of_tree() {
        return {tree_.view().points.data, values_.size()};
    }

    const FmmBenchOptions& o_;
    FmmChoice choice_;
    Device& device_;
    std::unique_ptr<Stream> stream_;
    Scratch scratch_;
    BenchProgress progress_;
    TextTable table_{"part", 12};
    WorkTimer timer_;
    StageTimer stages_;
    DeviceArray<Surfel> points_;
    Octree tree_;
    NodeLinks links_;
    LinkRoom room_;
    DeviceArray<Value> values_, sums_;
};

double all_pairs(const FmmMeasurement& m) {
    return double(m.tree.n_points) * m.tree.n_points;
}

void print_measurement(const FmmMeasurement& m) {
    print("%u nodes on %d levels, %llu far and %llu near links, %.1f MB; scratch memory %.1f MB\n",
          m.tree.n_nodes, m.tree.n_levels(), static_cast<unsigned long long>(m.links.far),
          static_cast<unsigned long long>(m.links.near), double(m.link_bytes) * 1e-6,
          double(m.scratch_bytes) * 1e-6);
    print("%.3g pairs of points, %.2f %% of all, and %.3g pairs of terms\n", m.near_pairs,
          100 * m.near_pairs / all_pairs(m), m.term_pairs);
    if (m.direct_ms.median > 0)
        print("%.3g pairs a second directly\n", 1000 * all_pairs(m) / m.direct_ms.median);
    print("errors: rms %.2e, median %.2e, 99 %% within %.2e, most %.2e\n", m.rms, m.median, m.p99,
          m.most);
}

Json as_json(const Timing& time) {
    return {{"median_ms", time.median}, {"p95_ms", time.p95}};
}

Json report_of(const FmmMeasurement& m, const FmmBenchOptions& o, const FmmChoice& choice) {
    Json stages = Json::object();
    for (auto& stage : m.stages) stages[stage.name] = stage.milliseconds;
    return {{"kernel", o.kernel},
            {"shape", o.input.empty() ? o.shape : o.input},
            {"points", m.tree.n_points},
            {"asked_error", o.error},
            {"expansions", o.expansions},
            {"order", choice.expansion.order},
            {"leaf", choice.leaf_size},
            {"theta", choice.links.theta},
            {"slack", choice.links.slack},
            {"few_pairs", choice.links.few.of_whole},
            {"nodes", m.tree.n_nodes},
            {"levels", m.tree.n_levels()},
            {"far_links", m.links.far},
            {"near_links", m.links.near},
            {"visited_pairs", m.links.visited},
            {"point_pairs", m.near_pairs},
            {"term_pairs", m.term_pairs},
            {"all_pairs", all_pairs(m)},
            {"tree", as_json(m.build_ms)},
            {"links", as_json(m.links_ms)},
            {"sum", as_json(m.sum_ms)},
            {"stages_ms", stages},
            {"direct", o.direct ? as_json(m.direct_ms) : Json()},
            {"error", {{"rms", m.rms}, {"median", m.median}, {"p99", m.p99}, {"most", m.most}}},
            {"link_bytes", m.link_bytes},
            {"scratch_bytes", m.scratch_bytes}};
}

void bench_fmm(const FmmBenchOptions& o) {
    begin_report(o.json);
    Device& device = find_device(o.device);
    FmmChoice choice = o.choice();
    auto points = o.input.empty() ? shaped_surfels(o.shape, o.points, o.seed)
                                  : surfels_of(load_scene(o.input, "", o.allow_outside));
    if (points.empty()) throw UserError(o.input + ": has no points");
    print("%s of %zu points, %s, on %s, %s\n", o.kernel.c_str(), points.size(),
          o.input.empty() ? o.shape.c_str() : o.input.c_str(), device.name().c_str(),
          o.repeats.words(device).c_str());
    print("%s of order %d, leaves of %d, theta %.2f, slack %g, few pairs %u\n",
          o.expansions.c_str(), choice.expansion.order, choice.leaf_size,
          double(choice.links.theta), double(choice.links.slack), choice.links.few.of_whole);
    FmmMeasurement m = o.kernel == "radiosity" ? FmmBench<vec3>(device, o, points).measure()
                                               : FmmBench<float>(device, o, points).measure();
    print_measurement(m);
    if (o.json.empty()) return;
    write_json(o.json, {{"schema", 1},
                        {"kind", "fmm"},
                        {"machine", machine_report()},
                        {"device", device.name()},
                        {"repeat", o.repeats.count()},
                        {"most_seconds", o.repeats.most_seconds()},
                        {"seed", o.seed},
                        {"sample", o.sample},
                        {"sums", report_of(m, o, choice)}});
}

}  // namespace

void add_bench_fmm_command(CLI::App& bench) {
    auto o = std::make_shared<FmmBenchOptions>();
    auto* fmm = bench.add_subcommand("fmm", "Sums over all pairs of points, by expansions");
    add_value(*fmm, "--kernel", o->kernel, "ID", "what is summed: radiosity, or inverse-distance")
        ->check(CLI::IsMember({"radiosity", "inverse-distance"}));
    auto* n = add_value(*fmm, "--points", o->points, "N", "points, spread over a shape")
                  ->check(between(1, 100'000'000));
    add_value(*fmm, "--shape", o->shape, "ID", joined(surfel_shapes()))
        ->check(CLI::IsMember(surfel_shapes()))
        ->excludes(
            fmm->add_option("--input", o->input,
                            "a model or scene whose vertices and splats are the points instead")
                ->type_name("SCENE")
                ->excludes(n));
    add_value(*fmm, "--error", o->error, "E",
              "root mean square of errors, as a part of that of sums")
        ->check(between(FmmErrors::kLeast, FmmErrors::kMost));
    add_value(*fmm, "--expansions", o->expansions, "FORM",
              "Chebyshev interpolation, or series of solid harmonics")
        ->check(CLI::IsMember({"interpolation", "harmonics"}));
    name_number(add_value(*fmm, "--order", o->order, "P",
                          "interpolation nodes along each axis, at most 6, or degrees of series, "
                          "at most 8; auto: "
                          "by the error")
                    ->check(between(0, FmmOrder::kMostHarmonics)),
                "auto");
    name_number(add_value(*fmm, "--leaf", o->leaf, "N", "most points of a leaf; auto: by the error")
                    ->check(between(0, OctreeConfig::kMostLeafSize)),
                "auto");
    name_number(
        add_value(
            *fmm, "--theta", o->theta, "X",
            "part of their distance that the radii of linked nodes are at most; auto: by the error")
            ->check(between(0.0f, 0.95f)),
        "auto");
    name_number(add_value(*fmm, "--slack", o->slack, "X",
                          "cosines that count as none, for radiosity; auto: by the error")
                    ->check(between(-1.0f, 0.5f)),
                "auto", "-1");
    name_number(add_value(*fmm, "--few-pairs", o->few_pairs, "N",
                          "pairs of points that are not worth an expansion; auto: by the error")
                    ->check(between(-1, 1'000'000)),
                "auto", "-1");
    add_value(*fmm, "--sample", o->sample, "N", "points whose errors are measured")
        ->check(between(1, 1'000'000));
    fmm->add_flag("--direct", o->direct, "also measure the direct sum of all pairs");
    add_device_option(*fmm, o->device);
    add_outside_option(*fmm, o->allow_outside);
    add_repeat_options(*fmm, o->repeats);
    add_value(*fmm, "--seed", o->seed, "K", "seed of the points");
    add_json_option(*fmm, o->json);
    fmm->callback([o] { bench_fmm(*o); });
}

}  // namespace tl
