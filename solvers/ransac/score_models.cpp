#include "solvers/ransac/score_models.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace tl::minimal {
namespace {

/// Models that take turns with a chunk of rows.
constexpr std::size_t kModels = 8;

/// Evaluates the errors of one model.
class ErrorEvaluator {
  public:
    ErrorEvaluator(const ModelTest& test, const double* model) : test_(test) {
        for (auto& error : test.errors) {
            add(error.value, model);
            for (auto& derivative : error.gradient) add(derivative, model);
        }
    }

    /// Squared errors of the rows of a chunk, kRowChunk numbers.
    void squared_errors(const MeasurementTable& table, std::size_t chunk, double* squares) const {
        double part[kRowChunk], length[kRowChunk];
        std::fill_n(squares, kRowChunk, 0.0);
        const double* weights = weights_.data();
        auto next = [&](const WeightedFeatures& expression, double* to) {
            weighted_sums(table, chunk, expression, weights, to);
            weights += expression.weights.size();
        };
        for (auto& error : test_.errors) {
            double value[kRowChunk];
            next(error.value, value);
            std::fill_n(length, kRowChunk, error.gradient.empty() ? 1.0 : 0.0);
            for (auto& derivative : error.gradient) {
                next(derivative, part);
                for (std::size_t i = 0; i < kRowChunk; ++i) length[i] += part[i] * part[i];
            }
            for (std::size_t i = 0; i < kRowChunk; ++i)
                squares[i] += value[i] * value[i] / length[i];
        }
    }

  private:
    void add(const WeightedFeatures& expression, const double* model) {
        for (auto& weight : expression.weights) weights_.push_back(weight.value(model));
    }

    const ModelTest& test_;
    std::vector<double> weights_;
};

/// Adds the rows of a chunk to a score. An error that is not a number is above the bound.
void add_rows(const double* squares, std::size_t n_rows, double bound, ModelScore& score) {
    const double most = bound * bound;
    double sum = 0;
    std::size_t n_inliers = 0;
#pragma omp simd reduction(+ : sum, n_inliers)
    for (std::size_t i = 0; i < n_rows; ++i) {
        sum += squares[i] <= most ? squares[i] : 0;
        n_inliers += squares[i] <= most ? 1 : 0;
    }
    score.n_inliers += n_inliers;
    score.squares += sum;
    score.cost += sum + most * static_cast<double>(n_rows - n_inliers);
}

/// Scores up to kModels models by one thread.
void score_some(const ModelTest& test, const MeasurementTable& table, const double* models,
                double bound, double best, std::span<ModelScore> scores) {
    std::vector<ErrorEvaluator> evaluators;
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        evaluators.emplace_back(test, models + i * test.n_unknowns);
        left.push_back(i);
        scores[i] = {.cost = 0};
    }
    double squares[kRowChunk];
    for (std::size_t chunk = 0; chunk < table.n_chunks() && !left.empty(); ++chunk) {
        std::size_t first = chunk * kRowChunk, n_rows = std::min(kRowChunk, table.size() - first);
        for (auto i : left) {
            evaluators[i].squared_errors(table, chunk, squares);
            add_rows(squares, n_rows, bound, scores[i]);
        }
        std::erase_if(left, [&](auto i) {
            if (scores[i].cost <= best) return false;
            scores[i] = {};
            return true;
        });
    }
}

}  // namespace

bool is_positive(const ModelTest& test, const double* model) {
    return std::ranges::all_of(test.positives,
                               [&](auto& polynomial) { return polynomial.value(model) > 0; });
}

void score_models(const ModelTest& test, const MeasurementTable& table,
                  std::span<const double> models, double bound, const ModelScore& best,
                  std::span<ModelScore> scores, const ProgressPoll& poll) {
    auto score_group = [&](std::size_t group) {
        std::size_t first = group * kModels, count = std::min(kModels, scores.size() - first);
        score_some(test, table, &models[first * test.n_unknowns], bound, best.cost,
                   scores.subspan(first, count));
    };
    // Threads wait for each other between parts of about a tenth of a second.
    std::size_t n_groups = (scores.size() + kModels - 1) / kModels;
    auto n_threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    std::size_t work = kModels * table.n_chunks() * kRowChunk * test.features.size();
    std::size_t part = n_threads * std::max<std::size_t>(1, 100'000'000 / (work + 1));
    for (std::size_t first = 0; first < n_groups; first += part) {
        tbb::parallel_for(first, std::min(n_groups, first + part), score_group);
        if (poll) poll(0);
    }
}

std::vector<std::uint8_t> inliers_of(const ModelTest& test, const MeasurementTable& table,
                                     const double* model, double bound) {
    std::vector<std::uint8_t> inliers(table.size());
    ErrorEvaluator evaluator(test, model);
    tbb::parallel_for(std::size_t{0}, table.n_chunks(), [&](std::size_t chunk) {
        double squares[kRowChunk];
        evaluator.squared_errors(table, chunk, squares);
        std::size_t first = chunk * kRowChunk, n_rows = std::min(kRowChunk, table.size() - first);
        for (std::size_t i = 0; i < n_rows; ++i)
            inliers[first + i] = squares[i] <= bound * bound ? 1 : 0;
    });
    return inliers;
}

}  // namespace tl::minimal
