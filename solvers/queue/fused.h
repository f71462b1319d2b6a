// Fused chains of element-wise operations, each run by one kernel. An element is loaded once, goes
// through all steps, and is stored where a result is needed.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/dense/matrix.h"

namespace tl {

enum class ElementCode : std::uint8_t {
    add,
    subtract,
    multiply,
    divide,
    minimum,
    maximum,
    negate,
    absolute,
    square_root,
    exponential,
    power,  ///< NaN for a negative base with an exponent that is no integer
    equal,  ///< comparisons and logical operations give 1 or 0
    not_equal,
    less,
    less_equal,
    logical_and,  ///< of numbers that are not 0
    logical_or,
};
inline constexpr int kElementCodes = 17;

/// Operands of an element-wise operation.
enum class ElementForm : std::uint8_t {
    both,          ///< two matrices of one shape
    scalar_right,  ///< a matrix and a number
    scalar_left,   ///< a number and a matrix
    one,           ///< one matrix: from negate to exponential
};

struct ElementOp {
    ElementCode code = ElementCode::add;
    ElementForm form = ElementForm::both;
    double scalar = 0;
};
/// "add", "sqrt", ...
[[nodiscard]] const char* name_of(ElementCode code);
[[nodiscard]] constexpr bool takes_one(ElementCode code) {
    return code >= ElementCode::negate && code <= ElementCode::exponential;
}

enum class FusedAction : std::uint8_t { load, store, compute };

/// A step of a program. Slots hold the values of the elements that are being processed.
struct FusedStep {
    FusedAction action;
    ElementOp op;         ///< operation of a `compute` step
    std::uint8_t a = 0;   ///< slot of the first operand, or of the stored value
    std::uint8_t b = 0;   ///< slot of the second operand; load and store: number of the array
    std::uint8_t to = 0;  ///< slot of the result
};

inline constexpr int kFusedSteps = 32;
inline constexpr int kFusedArrays = 8;
inline constexpr int kFusedSlots = 6;

/// A chain in the order in which it is run, passed to the kernel by value.
struct FusedProgram {
    std::array<FusedStep, kFusedSteps> steps;
    int n_steps = 0;
    int n_inputs = 0;
    int n_outputs = 0;
};

/// An operation of a chain before it is fused. Values are named by any numbers.
struct FusedNode {
    ElementOp op;
    std::array<std::uint64_t, 2> inputs{};  ///< one of them where the form has one matrix
    std::uint64_t output = 0;
    bool stored = false;  ///< whether the result is needed in memory
};

/// A program with the names of the arrays that it loads and stores.
struct FusedChain {
    FusedProgram program;
    std::vector<std::uint64_t> inputs, outputs;
};

/// Fuses nodes, each of which comes after those that it depends on. Returns whether they fit into
/// one program.
[[nodiscard]] bool fuse_nodes(std::span<const FusedNode> nodes, FusedChain& chain);

}  // namespace tl

TL_FOR_DEVICES(
    // Runs the program for `size` elements of all arrays.
    template <class T> void run_fused(Stream& stream, const FusedProgram& program,
                                      const std::array<const T*, kFusedArrays>& inputs,
                                      const std::array<T*, kFusedArrays>& outputs,
                                      std::size_t size);)
