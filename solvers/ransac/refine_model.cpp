#include "solvers/ransac/refine_model.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>

#include "solvers/ransac/constraint_surface.h"

namespace tl::minimal {
namespace {

constexpr int kMostSteps = 30;
constexpr double kFirstDamping = 1e-4, kMostDamping = 1e8;
constexpr double kLeastGain = 1e-12;  ///< of the sum of squares, below which steps end

/// Sum of squares at a model, J'r and J'J of the errors r.
struct NormalEquations {
    double squares = 0;
    std::vector<double> right, matrix;

    explicit NormalEquations(std::size_t n) : right(n), matrix(n * n) {}
    void add(const NormalEquations& other) {
        squares += other.squares;
        for (std::size_t i = 0; i < right.size(); ++i) right[i] += other.right[i];
        for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] += other.matrix[i];
    }
};

/// Weights of an expression's features at a model, and their derivatives by each unknown.
struct DerivedWeights {
    const WeightedFeatures& expression;
    std::vector<double> value;
    std::vector<std::vector<double>> derivatives;

    DerivedWeights(const WeightedFeatures& of, const double* model, std::size_t n_unknowns)
        : expression(of), derivatives(n_unknowns) {
        for (auto& weight : of.weights) {
            value.push_back(weight.value(model));
            for (std::size_t i = 0; i < n_unknowns; ++i)
                derivatives[i].push_back(weight.derivative(model, static_cast<int>(i)));
        }
    }
};

struct DerivedError {
    DerivedWeights value;
    std::vector<DerivedWeights> gradient;
};

double dot(const double* a, const double* b) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < kRowChunk; ++i) sum += a[i] * b[i];
    return sum;
}

/// Adds chunks of rows to the normal equations at a model.
class NormalSums {
  public:
    NormalSums(const ModelTest& test, const MeasurementTable& table,
               std::span<const std::uint8_t> inliers, const double* model)
        : n_(test.n_unknowns), table_(table), inliers_(inliers) {
        for (auto& error : test.errors) {
            auto& derived =
                errors_.emplace_back(DerivedError{DerivedWeights(error.value, model, n_), {}});
            for (auto& part : error.gradient) derived.gradient.emplace_back(part, model, n_);
        }
    }

    /// Sums in an order that does not depend on the threads.
    [[nodiscard]] NormalEquations sum() const {
        constexpr std::size_t kGrain = 16;
        return tbb::parallel_deterministic_reduce(
            tbb::blocked_range<std::size_t>(0, table_.n_chunks(), kGrain), NormalEquations(n_),
            [&](const tbb::blocked_range<std::size_t>& chunks, NormalEquations sums) {
                std::vector<double> memory((n_ + 1) * 2 * kRowChunk + 2 * kRowChunk);
                for (std::size_t chunk = chunks.begin(); chunk < chunks.end(); ++chunk)
                    for (auto& error : errors_) add(error, chunk, memory.data(), sums);
                return sums;
            },
            [](NormalEquations a, const NormalEquations& b) {
                a.add(b);
                return a;
            });
    }

  private:
    /// Adds an error of the rows of a chunk. `memory`: 2 n + 4 times kRowChunk numbers.
    void add(const DerivedError& error, std::size_t chunk, double* memory,
             NormalEquations& sums) const {
        double *value = memory, *derivatives = value + kRowChunk;
        evaluate(error.value, chunk, value, derivatives);
        if (!error.gradient.empty())
            divide_by_gradient(error, chunk, value, derivatives, derivatives + n_ * kRowChunk);
        leave_inliers(chunk, value);
        for (std::size_t i = 0; i < n_; ++i) leave_inliers(chunk, derivatives + i * kRowChunk);
        sums.squares += dot(value, value);
        for (std::size_t i = 0; i < n_; ++i) {
            const double* row = derivatives + i * kRowChunk;
            sums.right[i] += dot(row, value);
            for (std::size_t j = 0; j <= i; ++j) {
                sums.matrix[i * n_ + j] += dot(row, derivatives + j * kRowChunk);
                sums.matrix[j * n_ + i] = sums.matrix[i * n_ + j];
            }
        }
    }
    void evaluate(const DerivedWeights& weights, std::size_t chunk, double* value,
                  double* derivatives) const {
        weighted_sums(table_, chunk, weights.expression, weights.value.data(), value);
        for (std::size_t i = 0; i < n_; ++i)
            weighted_sums(table_, chunk, weights.expression, weights.derivatives[i].data(),
                          derivatives + i * kRowChunk);
    }
    /// f / |g|, and its derivatives f' / |g| - f (g g') / |g|^3. `memory`: n + 3 times kRowChunk
    /// numbers.
    void divide_by_gradient(const DerivedError& error, std::size_t chunk, double* value,
                            double* derivatives, double* memory) const {
        double *length = memory, *part = length + kRowChunk, *part_derivative = part + kRowChunk,
               *products = part_derivative + kRowChunk;
        std::fill_n(length, kRowChunk, 0.0);
        std::fill_n(products, n_ * kRowChunk, 0.0);
        for (auto& gradient : error.gradient) {
            weighted_sums(table_, chunk, gradient.expression, gradient.value.data(), part);
            for (std::size_t r = 0; r < kRowChunk; ++r) length[r] += part[r] * part[r];
            for (std::size_t i = 0; i < n_; ++i) {
                weighted_sums(table_, chunk, gradient.expression, gradient.derivatives[i].data(),
                              part_derivative);
                double* product = products + i * kRowChunk;
                for (std::size_t r = 0; r < kRowChunk; ++r)
                    product[r] += part[r] * part_derivative[r];
            }
        }
        for (std::size_t r = 0; r < kRowChunk; ++r) {
            length[r] = 1 / std::sqrt(length[r]);
            value[r] *= length[r];
        }
        for (std::size_t i = 0; i < n_; ++i) {
            double *derivative = derivatives + i * kRowChunk, *product = products + i * kRowChunk;
            for (std::size_t r = 0; r < kRowChunk; ++r)
                derivative[r] = (derivative[r] - value[r] * length[r] * product[r]) * length[r];
        }
    }
    /// Clears the numbers of rows that are no inliers.
    void leave_inliers(std::size_t chunk, double* numbers) const {
        const std::uint8_t* inliers = &inliers_[chunk * kRowChunk];
        std::size_t n_rows = std::min(kRowChunk, inliers_.size() - chunk * kRowChunk);
        for (std::size_t r = 0; r < n_rows; ++r) numbers[r] = inliers[r] ? numbers[r] : 0;
        std::fill(numbers + n_rows, numbers + kRowChunk, 0.0);
    }

    std::size_t n_;
    const MeasurementTable& table_;
    std::span<const std::uint8_t> inliers_;
    std::vector<DerivedError> errors_;
};

/// Solves the damped normal equations in the space of the tangents, d rows of n numbers, by
/// Cholesky's factors. Returns the step in the unknowns; none where the matrix is not positive.
std::vector<double> damped_step(const NormalEquations& equations,
                                const std::vector<double>& tangents, double damping) {
    std::size_t n = equations.right.size(), d = tangents.size() / n;
    std::vector<double> a(d * d), b(d), step(n);
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t p = 0; p < n; ++p) {
            b[i] -= tangents[i * n + p] * equations.right[p];
            for (std::size_t j = 0; j <= i; ++j)
                for (std::size_t q = 0; q < n; ++q)
                    a[i * d + j] +=
                        tangents[i * n + p] * equations.matrix[p * n + q] * tangents[j * n + q];
        }
    for (std::size_t i = 0; i < d; ++i) a[i * d + i] *= 1 + damping;
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            for (std::size_t k = 0; k < j; ++k) a[i * d + j] -= a[i * d + k] * a[j * d + k];
            if (j < i)
                a[i * d + j] /= a[j * d + j];
            else if (!(a[i * d + i] > 0))
                return {};
            else
                a[i * d + i] = std::sqrt(a[i * d + i]);
        }
    for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * d + k] * b[k];
        b[i] /= a[i * d + i];
    }
    for (std::size_t i = d; i-- > 0;) {
        for (std::size_t k = i + 1; k < d; ++k) b[i] -= a[k * d + i] * b[k];
        b[i] /= a[i * d + i];
    }
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t p = 0; p < n; ++p) step[p] += b[i] * tangents[i * n + p];
    return step;
}

}  // namespace

void refine_model(const ModelTest& test, const MeasurementTable& table,
                  std::span<const std::uint8_t> inliers, std::span<double> model,
                  const ProgressPoll& poll) {
    ConstraintSurface surface(test, model.data());
    auto equations_at = [&](const double* u) { return NormalSums(test, table, inliers, u).sum(); };
    auto equations = equations_at(model.data());
    auto tangents = surface.tangents(model.data());
    double damping = kFirstDamping;
    for (int i = 0; i < kMostSteps && damping < kMostDamping; ++i) {
        if (poll) poll(0);
        auto step = damped_step(equations, tangents, damping);
        std::vector<double> moved(model.begin(), model.end());
        for (std::size_t k = 0; k < step.size(); ++k) moved[k] += step[k];
        auto there = equations;
        bool is_better = !step.empty() && surface.project(moved);
        if (is_better) {
            there = equations_at(moved.data());
            is_better = there.squares < equations.squares;
        }
        if (!is_better) {
            damping *= 10;
            continue;
        }
        bool has_converged = equations.squares - there.squares <= kLeastGain * equations.squares;
        std::ranges::copy(moved, model.begin());
        if (has_converged) return;
        equations = std::move(there);
        tangents = surface.tangents(model.data());
        damping /= 10;
    }
}

}  // namespace tl::minimal
