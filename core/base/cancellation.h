// Cancellation of work in progress: of frames, tree builds, solvers and file readers alike.
#pragma once

#include <cstdint>
#include <exception>

namespace tl {

/// Extent of a cancellation: the part of the work in progress that is no longer needed. Each value
/// includes those before it, so that work ends if the value is at least that of its own kind.
enum class Cancellation : std::uint8_t {
    nothing,     ///< no cancellation
    view,        ///< view-dependent work: camera rays and their shading
    everything,  ///< also trees, photons and other data that a later frame could use
};

/// Thrown by cancelled work. The results of the work are then in an undefined state. It is no
/// UserError, so that no caller reports it as an error of the user or of a file.
class Cancelled : public std::exception {
  public:
    [[nodiscard]] const char* what() const noexcept override { return "cancelled"; }
};

}  // namespace tl
