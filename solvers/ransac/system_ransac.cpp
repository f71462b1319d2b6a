#include "solvers/ransac/system_ransac.h"

#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "solvers/pose/ransac/sample_matches.h"
#include "solvers/ransac/refine_model.h"
#include "solvers/ransac/score_models.h"

namespace tl::minimal {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostSamplesOfBatch = 4096;
constexpr std::size_t kLargestSample = 16;
constexpr int kMostRefinements = 10;

/// draw_sample() by the size of the sample.
using DrawSample = void (*)(std::uint64_t, std::uint64_t, std::uint32_t, std::uint32_t*);
template <std::size_t... sizes>
constexpr std::array<DrawSample, kLargestSample> samplers(std::index_sequence<sizes...>) {
    return {draw_sample<static_cast<int>(sizes) + 1>...};
}

/// The loop over batches of samples.
class SystemRansac {
  public:
    SystemRansac(const PolynomialSystem& system, TableRoute& route, int n_solutions,
                 std::span<const double> measurements, const SystemRansacConfig& config,
                 const ProgressPoll& poll)
        : system_(system),
          route_(route),
          n_solutions_(static_cast<std::size_t>(n_solutions)),
          measurements_(measurements),
          config_(config),
          poll_(poll),
          test_(system),
          table_(test_, measurements) {
        fitted_.stages = {{"draw", 0}, {"solve", 0}, {"test", 0}, {"refine", 0}};
    }

    FittedModel fit() {
        auto begin = Clock::now();
        check_count();
        std::size_t n_next = kFirstSamples;
        auto n_needed = static_cast<std::size_t>(config_.most_samples);
        while (fitted_.n_samples < n_needed) {
            try_samples(std::min(n_next, n_needed - fitted_.n_samples));
            n_next = std::min(2 * n_next, kMostSamplesOfBatch);
            n_needed = std::min(n_needed, samples_needed());
            if (poll_)
                poll_(std::min(
                    1.0, static_cast<double>(fitted_.n_samples) / static_cast<double>(n_needed)));
        }
        check_support();
        finish();
        fitted_.seconds = seconds_since(begin);
        return std::move(fitted_);
    }

  private:
    [[nodiscard]] std::size_t sample_size() const {
        return static_cast<std::size_t>(system_.measured.sample_size);
    }
    static double seconds_since(Clock::time_point begin) {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    }
    void timed(std::size_t stage, const auto& work) {
        auto begin = Clock::now();
        work();
        fitted_.stages[stage].seconds += seconds_since(begin);
    }
    /// For work in a batch, whose fraction is not known.
    void poll_within(double /*fraction*/) const {
        if (poll_) poll_(0);
    }

    void check_count() {
        std::size_t count = measurements_.size() / test_.n_columns;
        fitted_.n_left_out = count - table_.size();
        if (table_.size() > std::numeric_limits<std::uint32_t>::max())
            throw UserError(std::to_string(count) + " measurements are too many; pass fewer");
        if (table_.size() > sample_size()) return;
        std::string left =
            fitted_.n_left_out > 0
                ? ", of which " + std::to_string(fitted_.n_left_out) + " are not finite"
                : "";
        throw UserError("the table has " + std::to_string(count) + " measurements" + left +
                        "; a sample of " + system_.name + " has " + std::to_string(sample_size()) +
                        ", and at least one more must support its model");
    }

    /// Number of samples after which one without an outlier was drawn, with the confidence, if the
    /// best model's inliers are all there are.
    [[nodiscard]] std::size_t samples_needed() const {
        double share = 1;
        for (std::size_t k = 0; k < sample_size(); ++k)
            share *= std::max(0.0, static_cast<double>(best_.n_inliers) - static_cast<double>(k)) /
                     static_cast<double>(table_.size() - k);
        if (share >= 1) return 1;
        double needed = std::log1p(-config_.confidence) / std::log1p(-share);
        return needed < 1e18 ? static_cast<std::size_t>(std::ceil(needed))
                             : std::numeric_limits<std::size_t>::max();
    }

    void try_samples(std::size_t count) {
        timed(0, [&] { draw(count); });
        timed(1, [&] {
            solutions_.resize(count * n_solutions_ * test_.n_unknowns);
            counts_.resize(count);
            route_.solve(instances_, solutions_, counts_,
                         [&](double fraction) { poll_within(fraction); });
        });
        bool is_better = false;
        timed(2, [&] { is_better = test_models(); });
        if (is_better) timed(3, [&] { refine(); });
        fitted_.n_samples += count;
    }

    /// Writes the parameters of the next samples.
    void draw(std::size_t count) {
        static constexpr auto kSamplers = samplers(std::make_index_sequence<kLargestSample>());
        auto& positions = system_.measured.sample;
        instances_.resize(count * positions.size());
        for (std::size_t i = 0; i < count; ++i) {
            std::uint32_t rows[kLargestSample];
            kSamplers[sample_size() - 1](static_cast<std::uint64_t>(config_.seed),
                                         fitted_.n_samples + i,
                                         static_cast<std::uint32_t>(table_.size()), rows);
            for (std::size_t k = 0; k < positions.size(); ++k) {
                auto row = table_.row(rows[static_cast<std::size_t>(positions[k].measurement)]);
                instances_[i * positions.size() + k] =
                    measurements_[row * test_.n_columns +
                                  static_cast<std::size_t>(positions[k].column)];
            }
        }
    }

    /// Tests the solutions of a batch, and keeps the best. Returns whether it is of this batch.
    bool test_models() {
        const std::size_t n = test_.n_unknowns;
        std::vector<double> models;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            fitted_.n_solved += counts_[i] > 0 ? 1 : 0;
            for (std::size_t k = 0; k < static_cast<std::size_t>(counts_[i]); ++k) {
                const double* model = &solutions_[(i * n_solutions_ + k) * n];
                if (is_positive(test_, model)) models.insert(models.end(), model, model + n);
            }
        }
        std::vector<ModelScore> scores(models.size() / n);
        fitted_.n_models += scores.size();
        score_models(test_, table_, models, config_.bound, best_, scores,
                     [&](double fraction) { poll_within(fraction); });
        bool is_better = false;
        for (std::size_t i = 0; i < scores.size(); ++i)
            if (scores[i].is_better_than(best_)) {
                best_ = scores[i];
                fitted_.unknowns.assign(&models[i * n], &models[i * n] + n);
                is_better = true;
            }
        fitted_.is_refined = fitted_.is_refined && !is_better;
        return is_better;
    }

    void check_support() const {
        auto samples = std::to_string(fitted_.n_samples) + " samples";
        if (fitted_.n_models == 0)
            throw UserError("none of " + samples +
                            " has a real solution that could be tested; compare the measurements "
                            "with the equations");
        if (best_.n_inliers <= sample_size())
            throw UserError("no model of " + samples + " has more inliers than its sample of " +
                            std::to_string(sample_size()) + " within the bound " +
                            number_text(config_.bound) + "; raise the bound or try more samples");
    }

    /// Least squares over the inliers, which are found again until they stay. The cost decreases
    /// each time: old inliers have smaller squares, and no row adds more than the squared bound.
    /// The best model of each batch is refined, so that fewer samples are needed (LO-RANSAC; Chum,
    /// Matas and Kittler 2003).
    void refine() {
        if (best_.n_inliers <= sample_size()) return;
        auto inliers = inliers_of(test_, table_, fitted_.unknowns.data(), config_.bound);
        for (int i = 0; i < kMostRefinements; ++i) {
            auto model = fitted_.unknowns;
            refine_model(test_, table_, inliers, model,
                         [&](double fraction) { poll_within(fraction); });
            if (!is_positive(test_, model.data())) return;
            ModelScore score;
            score_models(test_, table_, model, config_.bound, {}, {&score, 1}, {});
            if (!score.is_better_than(best_)) return;
            best_ = score;
            fitted_.unknowns = model;
            fitted_.is_refined = true;
            auto before =
                std::exchange(inliers, inliers_of(test_, table_, model.data(), config_.bound));
            if (before == inliers) return;
        }
    }

    void finish() {
        auto inliers = inliers_of(test_, table_, fitted_.unknowns.data(), config_.bound);
        fitted_.inliers.resize(measurements_.size() / test_.n_columns);
        for (std::size_t i = 0; i < inliers.size(); ++i)
            fitted_.inliers[table_.row(i)] = inliers[i];
        fitted_.n_inliers = best_.n_inliers;
        fitted_.rms = std::sqrt(best_.squares / static_cast<double>(best_.n_inliers));
    }

    const PolynomialSystem& system_;
    TableRoute& route_;
    std::size_t n_solutions_;
    std::span<const double> measurements_;
    const SystemRansacConfig& config_;
    const ProgressPoll& poll_;
    ModelTest test_;
    MeasurementTable table_;
    FittedModel fitted_;
    ModelScore best_;
    std::vector<double> instances_, solutions_;
    std::vector<int> counts_;
};

}  // namespace

FittedModel fit_by_ransac(const PolynomialSystem& system, TableRoute& route, int n_solutions,
                          std::span<const double> measurements, const SystemRansacConfig& config,
                          const ProgressPoll& poll) {
    return SystemRansac(system, route, n_solutions, measurements, config, poll).fit();
}

}  // namespace tl::minimal
