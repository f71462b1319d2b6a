// Five-point problems by both processors (Cvrcek 2016, chapter 6.7 and figure 6.5): the CPU builds
// the action matrices, the device finds their real eigenvectors, and the CPU turns these into
// essential matrices.
#pragma once

#include <memory>
#include <span>

#include "solvers/pose/minimal/five_point.h"

namespace tl {

/// Solves five-point problems in host memory, in parts on two streams of a device. While the device
/// has one part, the CPU builds the matrices of the next one and finishes the last one. Differs
/// from FivePointRoute::action in problems with two solutions that nearly coincide, which rounding
/// may turn into a complex pair: these are lost here.
class FivePointHybrid {
  public:
    explicit FivePointHybrid(Device& device);
    ~FivePointHybrid();
    FivePointHybrid(const FivePointHybrid&) = delete;
    FivePointHybrid& operator=(const FivePointHybrid&) = delete;

    /// Solves n_found.size() problems; arguments as those of five_point(), and likewise the
    /// results. Waits. Throws UserError for insufficient memory.
    void solve(std::span<const PointPair> pairs, std::span<double> essentials,
               std::span<int> n_found);

  private:
    class Part;
    Device& device_;
    std::unique_ptr<Part> parts_[2];
};

/// Rows of the action matrix of five points.
inline constexpr int kFivePointRows = 10;

/// Results of eigenvectors in host memory: kFivePointRows pairs of real and imaginary parts of
/// eigenvalues, and as many columns of vectors, of which the real ones come first.
struct ActionVectors {
    const double* values;
    const double* vectors;
};

}  // namespace tl

namespace tl::cpu {

/// Work of the CPU on a part of the problems.
class FivePointSteps {
  public:
    FivePointSteps();
    ~FivePointSteps();
    FivePointSteps(const FivePointSteps&) = delete;
    FivePointSteps& operator=(const FivePointSteps&) = delete;

    /// Builds the action matrices of the problems, row by row; zero where there is none.
    void build(std::span<const PointPair> pairs, double* matrices);
    /// Turns the eigenvectors of the matrices built last into essential matrices.
    void finish(const ActionVectors& found, double* essentials, std::span<int> n_found);

  private:
    struct Lanes;
    std::unique_ptr<Lanes> lanes_;
};

}  // namespace tl::cpu

// Starts the real eigenvectors of `count` action matrices on a stream. `values`, `vectors`,
// `sweeps` and `status`: as EigenResult has them.
TL_FOR_DEVICES(void start_action_vectors(Stream& stream, View<const double> matrices,
                                         std::size_t count, double* values, double* vectors,
                                         int* sweeps, int* status);)
