#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include "core/device/parallel_for.h"
#include "core/operators/operators.h"
#include "solvers/fmm/lattice_exchange.h"
#include "solvers/fmm/near_pairs.h"
#include "solvers/fmm/pair_sums_device.h"

TL_DEVICE_BEGIN

namespace {

/// Measures the wall-clock time of work that ends with a wait.
class Stopwatch {
  public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// A power of two that brings the largest weight to 1 at most.
double scale_of(double most) {
    return most > 0 ? std::exp2(-std::max(std::ilogb(most) + 1, -1000)) : 1;
}

/// Sets strengths of places to the sums of their points' weights, scaled.
template <class Real>
void sum_weights(Stream& stream, Places<Real>& places, View<const double> weights, double scale) {
    auto points = places.points.view();
    auto first = places.first.view(), order = places.order.view();
    parallel_for(
        stream, "strengths of places", places.count, TL_LAMBDA(std::uint32_t place) {
            double sum = 0;
            for (std::uint32_t i = first[place]; i < first[place + 1]; ++i)
                sum += scale * weights[order[i]];
            points[place].strength = static_cast<Real>(sum);
        });
}

/// Copies sums of places to all points there, in the input's order. `own` has one sum a place, or
/// four with its gradient where gradients are wanted.
template <class Real>
void copy_sums(Stream& stream, const Places<Real>& places, View<const Real> own, double of_sum,
               double of_gradient, View<double> sums, View<double> gradients) {
    auto order = places.order.view(), place_of = places.place_of.view();
    const std::size_t n_own = gradients.empty() ? 1 : 4;
    parallel_for(
        stream, "sums of targets", static_cast<std::uint32_t>(sums.size),
        TL_LAMBDA(std::uint32_t i) {
            const Real* from = &own[n_own * place_of[i]];
            sums[order[i]] = of_sum * static_cast<double>(from[0]);
            if (n_own == 1) return;
            for (int axis = 0; axis < 3; ++axis)
                gradients[std::size_t(3) * order[i] + axis] =
                    of_gradient * static_cast<double>(from[1 + axis]);
        });
}

/// Points scaled to a frame, with scaled strengths if there are weights.
View<SumPoint<double>> scaled_points(Scratch& scratch, const SumFrame& frame, double weight_scale,
                                     View<const double> positions,
                                     View<const std::uint32_t> indices,
                                     View<const double> weights) {
    auto points = scratch.take<SumPoint<double>>(indices.size);
    parallel_for(
        scratch.stream(), "scaled points", static_cast<std::uint32_t>(indices.size),
        TL_LAMBDA(std::uint32_t k) {
            const std::uint32_t i = indices[k];
            auto at = [&](int axis) {
                return (positions[std::size_t(3) * i + axis] - frame.origin[axis]) * frame.scale;
            };
            points[k] = {at(0), at(1), at(2), weights.empty() ? 0 : weight_scale * weights[i]};
        });
    return points;
}

/// Sums of some targets, each followed by its gradient where there are gradients.
void gather_sums(Stream& stream, View<const std::uint32_t> targets, View<const double> sums,
                 View<const double> gradients, View<double> out) {
    const std::size_t n_own = gradients.empty() ? 1 : 4;
    parallel_for(
        stream, "sums of some targets", static_cast<std::uint32_t>(targets.size),
        TL_LAMBDA(std::uint32_t k) {
            out[n_own * k] = sums[targets[k]];
            for (std::size_t c = 1; c < n_own; ++c)
                out[n_own * k + c] = gradients[std::size_t(3) * targets[k] + c - 1];
        });
}

/// A copy of sums of one order.
class KeptSums {
  public:
    KeptSums(Stream& stream, const DevicePairs& pairs, const PairSumReport& report)
        : stream_(stream),
          report_(report),
          sums_(stream, pairs.sums.size),
          gradients_(stream, pairs.gradients.size) {
        copy(sums_.view(), pairs.sums);
        copy(gradients_.view(), pairs.gradients);
    }
    void restore(const DevicePairs& pairs, PairSumReport& report) const {
        copy(pairs.sums, sums_.view());
        copy(pairs.gradients, gradients_.view());
        stream_.synchronize();
        report = report_;
    }

  private:
    void copy(View<double> to, View<const double> from) const {
        stream_.device().copy(stream_, to.data, from.data, from.size * sizeof(double));
    }

    Stream& stream_;
    PairSumReport report_;
    DeviceArray<double> sums_, gradients_;
};

template <class Real>
class PairSummer {
  public:
    PairSummer(Stream& stream, const DevicePairs& pairs, const PairSumConfig& config,
               SolverRun& run, PairSumReport& out)
        : stream_(stream),
          scratch_(stream),
          timer_(stream),
          pairs_(pairs),
          config_(config),
          run_(run),
          out_(out),
          frame_(frame_of(scratch_, pairs.points,
                          pairs.targets_are_points ? View<const double>() : pairs.targets)),
          kernel_(config.kernel, config.length, frame_.scale),
          weight_scale_(scale_of(largest_magnitude(scratch_, pairs.weights))) {}

    void sum() {
        Stopwatch watch;
        timer_.begin_frame();
        {
            StageTimer::Scope stage(timer_, "sort");
            sort_places(scratch_, frame_, pairs_.points, sources_);
            if (!pairs_.targets_are_points) sort_places(scratch_, frame_, pairs_.targets, targets_);
            sum_weights<Real>(stream_, sources_, pairs_.weights, weight_scale_);
        }
        run_.report(0.1);
        sums_.resize_discard(stream_, n_sums() * targets().count);
        if (config_.direct) {
            StageTimer::Scope stage(timer_, "all pairs");
            sum_directly(0.1, 0.8);
            write_sums();
        } else {
            out_.order = config_.order > 0 ? config_.order : order_for(config_, config_.tolerance);
            out_.leaf = config_.leaf > 0 ? config_.leaf : leaf_for(config_, out_.order);
            {
                StageTimer::Scope stage(timer_, "tree");
                build_sum_tree(scratch_, sources_.codes.view(), targets().codes.view(),
                               static_cast<std::uint32_t>(out_.leaf), tree_);
            }
            out_.n_levels = tree_.n_levels();
            out_.n_nodes = tree_.n_nodes();
            sum_by_lattices(0.1, 0.8);
        }
        out_.seconds = watch.seconds();
        check();
        raise_order();
        timer_.end_frame();
        timer_.flush();
        out_.stages = timer_.latest();
        run_.report(1);
    }

  private:
    [[nodiscard]] std::size_t n_sums() const { return config_.gradient ? 4 : 1; }
    [[nodiscard]] const Places<Real>& targets() const {
        return pairs_.targets_are_points ? sources_ : targets_;
    }
    [[nodiscard]] Places<Real>& targets() {
        return pairs_.targets_are_points ? sources_ : targets_;
    }

    /// Sums over all pairs; reports progress in the given range.
    void sum_directly(double from, double to) {
        constexpr double kPairsAtOnce = 1e9;  // a second of one processor, a millisecond of a GPU
        constexpr std::size_t kLeastTargets = 128;
        View<const SumPoint<Real>> sources = sources_.points.view(),
                                   places = targets().points.view();
        auto n_at_once = std::max(
            kLeastTargets,
            static_cast<std::size_t>(kPairsAtOnce / static_cast<double>(sources.size + 1)));
        for (std::size_t first = 0; first < places.size; first += n_at_once) {
            std::size_t n = std::min(n_at_once, places.size - first);
            View<const SumPoint<Real>> some(places.data + first, n);
            sum_all_pairs<Real>(scratch_, kernel_, sources, some,
                                {sums_.data() + n_sums() * first, n_sums() * n}, config_.gradient);
            stream_.synchronize();
            double share = static_cast<double>(first + n) / static_cast<double>(places.size);
            run_.report(from + share * (to - from));
        }
    }

    /// Sums by lattices of the order of `out_`; reports progress in the given range.
    void sum_by_lattices(double from, double to) {
        Scratch::Scope scope(scratch_);
        auto words = lattice_words_of_all();
        require_memory(stream_.device(),
                       2 * words * sizeof(Real) + exchange_bytes<Real>(tree_, out_.order),
                       "the multipole method of " + std::to_string(tree_.n_nodes()) + " nodes",
                       "ask for a larger error, single precision, or fewer points");
        auto part = [&](double share) { return from + share * (to - from); };
        auto tables = make_lattice_tables<Real>(stream_, out_.order, tables_);
        {
            StageTimer::Scope stage(timer_, "lists");
            find_pair_lists(scratch_, tree_, out_.order, of_points_, of_lattices_);
        }
        View<const SumPoint<Real>> sources = sources_.points.view(),
                                   places = targets().points.view();
        auto strengths = scratch_.take<Real>(words), fields = scratch_.take<Real>(words);
        {
            StageTimer::Scope stage(timer_, "upward");
            sum_strengths_upward<Real>(stream_, frame_, tree_, tables, sources, strengths);
        }
        run_.report(part(0.1));
        {
            StageTimer::Scope stage(timer_, "far");
            SolverRun far(run_, part(0.1), part(0.6));
            exchange_lattices<Real>(scratch_, tree_, tables, kernel_, strengths, fields, far);
        }
        {
            StageTimer::Scope stage(timer_, "near");
            PairPoints<Real> points{sources,     places,   frame_, tree_.nodes.view(),
                                    tables.size, strengths};
            sum_pair_lists<Real>(stream_, kernel_, points, of_lattices_, fields, false);
            sum_pair_lists<Real>(stream_, kernel_, points, of_points_, sums_.view(),
                                 config_.gradient);
        }
        {
            StageTimer::Scope stage(timer_, "downward");
            add_fields_downward<Real>(stream_, frame_, tree_, tables, places, fields, sums_.view(),
                                      config_.gradient);
        }
        write_sums();
        run_.report(part(1));
    }
    [[nodiscard]] std::size_t lattice_words_of_all() const {
        return pairs::lattice_words<Real>(out_.order) * tree_.n_nodes();
    }

    /// Writes the sums of all targets in the unit of the input.
    void write_sums() {
        const double factor = kernel_.factor / weight_scale_;
        copy_sums<Real>(stream_, targets(), sums_.view(), factor, factor * frame_.scale,
                        pairs_.sums, pairs_.gradients);
        stream_.synchronize();
    }

    /// Direct sums at targets spread over all, in double precision, once.
    void find_truth() {
        if (!truth_.empty() || config_.n_checked == 0) return;
        Scratch::Scope scope(scratch_);
        std::size_t n = std::min(config_.n_checked, pairs_.n_targets());
        std::vector<std::uint32_t> checked(n);
        for (std::size_t c = 0; c < n; ++c)
            checked[c] = static_cast<std::uint32_t>(target_of(c, n));
        checked_.assign(stream_, checked);
        auto scaled = [&](View<const double> positions, View<const std::uint32_t> indices,
                          View<const double> weights) {
            return scaled_points(scratch_, frame_, weight_scale_, positions, indices, weights);
        };
        View<const SumPoint<double>> sources, places;
        places =
            scaled(pairs_.targets_are_points ? pairs_.points : pairs_.targets, checked_.view(), {});
        if constexpr (std::is_same_v<Real, double>) {
            sources = sources_.points.view();
        } else {
            auto all = scratch_.take<std::uint32_t>(pairs_.n_points());
            iota(stream_, all);
            sources = scaled(pairs_.points, all, pairs_.weights);
        }
        auto sums = scratch_.take<double>(n * n_sums());
        sum_all_pairs<double>(scratch_, kernel_, sources, places, sums, config_.gradient);
        truth_.resize(sums.size);
        stream_.device().download(stream_, truth_.data(), sums.data, sums.size * sizeof(double));
        out_.n_checked = n;
    }
    [[nodiscard]] std::size_t target_of(std::size_t c, std::size_t n) const {
        return static_cast<std::size_t>((static_cast<double>(c) + 0.5) / static_cast<double>(n) *
                                        static_cast<double>(pairs_.n_targets()));
    }

    /// Sums at the checked targets, with their gradients, on the host.
    [[nodiscard]] std::vector<double> checked_sums() {
        Scratch::Scope scope(scratch_);
        auto found = scratch_.take<double>(out_.n_checked * n_sums());
        gather_sums(stream_, checked_.view(), pairs_.sums, pairs_.gradients, found);
        std::vector<double> host(found.size);
        stream_.device().download(stream_, host.data(), found.data, host.size() * sizeof(double));
        return host;
    }

    /// Compares sums with direct ones.
    void check() {
        Stopwatch watch;
        find_truth();
        double wrong[2] = {}, all[2] = {};
        const double factor = kernel_.factor / weight_scale_;
        auto add = [&](int kind, double sum, double truth) {
            wrong[kind] += (sum / factor - truth) * (sum / factor - truth);
            all[kind] += truth * truth;
        };
        const auto found = checked_sums();
        for (std::size_t k = 0; k < found.size(); ++k)
            if (k % n_sums() == 0)
                add(0, found[k], truth_[k]);
            else
                add(1, found[k] / frame_.scale, truth_[k]);
        auto part = [&](int kind) {
            if (wrong[kind] == 0) return 0.0;
            double ratio = std::sqrt(wrong[kind] / all[kind]);
            return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
        };
        out_.error = part(0);
        out_.gradient_error = part(1);
        out_.check_seconds += watch.seconds();
    }

    /// Sums again with higher orders while the checked sums miss the tolerance and gain by it.
    void raise_order() {
        const int most =
            config_.single ? PairSumConfig::kMostOrderSingle : PairSumConfig::kMostOrder;
        while (!config_.direct && config_.order == 0 && out_.order < most &&
               !out_.reaches(config_.tolerance)) {
            double before = std::max(out_.error, out_.gradient_error);
            std::optional<KeptSums> kept;
            constexpr double kGain = 2.5;  // of the error, by one order
            double missing = std::log(before / config_.tolerance) / std::log(kGain);
            int more = missing < 1 ? 1 : missing < 6 ? static_cast<int>(std::ceil(missing)) : 6;
            Stopwatch watch;
            try {
                kept.emplace(stream_, pairs_, out_);
                out_.order = std::min(out_.order + more, most);
                sum_by_lattices(0.8, 0.95);
            } catch (const OutOfMemory&) {
                if (kept) kept->restore(pairs_, out_);  // the sums of the lower order stand
                return;
            }
            out_.seconds += watch.seconds();
            check();
            if (std::max(out_.error, out_.gradient_error) < before) continue;
            const double seconds = out_.seconds, check_seconds = out_.check_seconds;
            kept->restore(pairs_, out_);
            out_.seconds = seconds;
            out_.check_seconds = check_seconds;
            return;
        }
    }

    Stream& stream_;
    Scratch scratch_;
    StageTimer timer_;
    const DevicePairs& pairs_;
    const PairSumConfig& config_;
    SolverRun& run_;
    PairSumReport& out_;
    SumFrame frame_;
    ScaledKernel kernel_;
    double weight_scale_;
    Places<Real> sources_, targets_;
    SumTree tree_;
    PairLists of_points_, of_lattices_;
    DeviceArray<Real> tables_, sums_;
    DeviceArray<std::uint32_t> checked_;  ///< targets
    std::vector<double> truth_;           ///< scaled sums of checked targets, with their gradients
};

}  // namespace

template <class Real>
void sum_pairs_on_device(Stream& stream, const DevicePairs& pairs, const PairSumConfig& config,
                         SolverRun& run, PairSumReport& report) {
    PairSummer<Real>(stream, pairs, config, run, report).sum();
}

template void sum_pairs_on_device<float>(Stream&, const DevicePairs&, const PairSumConfig&,
                                         SolverRun&, PairSumReport&);
template void sum_pairs_on_device<double>(Stream&, const DevicePairs&, const PairSumConfig&,
                                          SolverRun&, PairSumReport&);

TL_DEVICE_END
