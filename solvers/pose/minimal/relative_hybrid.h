// Relative poses of minimal samples by both processors (Cvrcek 2016, chapter 6.7 and figure 6.5):
// the CPU builds the action matrices, the device finds their real eigenvectors, and the CPU turns
// these into essential matrices, or fundamental ones with their focal length.
#pragma once

#include <memory>
#include <span>

#include "solvers/pose/minimal/five_point.h"

namespace tl {

/// Sizes of a problem of two views.
struct RelativeSizes {
    std::size_t pairs;  ///< of points
    std::size_t rows;   ///< rows of the action matrix, and the maximum of models
    std::size_t model;  ///< numbers of a model
};
/// Calibrated views: a model is an essential matrix, row by row.
inline constexpr RelativeSizes kFivePointSizes{5, 10, 9};
/// Views of one unknown focal length: a model is a fundamental matrix, row by row, and the focal
/// length.
inline constexpr RelativeSizes kSixPointSizes{6, 15, 10};
[[nodiscard]] constexpr RelativeSizes relative_sizes(bool with_focal) {
    return with_focal ? kSixPointSizes : kFivePointSizes;
}

/// Solves problems in host memory, in parts on two streams of a device. While the device has one
/// part, the CPU builds the matrices of the next one and finishes the last one. Differs from the
/// solver of one device in problems with two solutions that nearly coincide, which rounding may
/// turn into a complex pair: these are lost here.
class RelativeHybrid {
  public:
    /// `with_focal`: the views have an unknown focal length.
    RelativeHybrid(Device& device, bool with_focal);
    ~RelativeHybrid();
    RelativeHybrid(const RelativeHybrid&) = delete;
    RelativeHybrid& operator=(const RelativeHybrid&) = delete;

    /// Solves n_found.size() problems, as relative_sizes() has them; problem i has the i-th of the
    /// equal parts of `pairs`. `models` has room for `rows` models each, of which the first
    /// n_found[i] are set. Problems with a pair that is not finite have none. Waits. Throws
    /// UserError for insufficient memory.
    void solve(std::span<const PointPair> pairs, std::span<double> models, std::span<int> n_found);

  private:
    class Part;
    Device& device_;
    RelativeSizes sizes_;
    std::unique_ptr<Part> parts_[2];
};

/// Eigenpairs in host memory: for each n x n matrix n eigenvalues (real and imaginary part) and n
/// columns of vectors, the real ones first.
struct ActionVectors {
    const double* values;
    const double* vectors;
};

/// Work of the CPU on a part of the problems.
class RelativeSteps {
  public:
    virtual ~RelativeSteps() = default;
    /// Builds the action matrices of the problems, row by row; zero where there is none.
    virtual void build(std::span<const PointPair> pairs, double* matrices) = 0;
    /// Turns the eigenvectors of the matrices built last into models.
    virtual void finish(const ActionVectors& found, double* models, std::span<int> n_found) = 0;
};

}  // namespace tl

namespace tl::cpu {
[[nodiscard]] std::unique_ptr<RelativeSteps> make_relative_steps(bool with_focal);
}  // namespace tl::cpu

// Starts the real eigenvectors of `count` action matrices of `rows` rows on a stream. `values`,
// `vectors`, `sweeps` and `status`: as EigenResult has them.
TL_FOR_DEVICES(void start_action_vectors(Stream& stream, View<const double> matrices, int rows,
                                         std::size_t count, double* values, double* vectors,
                                         int* sweeps, int* status);)
