// Cancellation of work in progress, by frames, tree builds, solvers and readers of files alike.
#pragma once

#include <cstdint>
#include <exception>

namespace tl {

/// Extent of a cancellation: the part of the work in progress that is no longer needed.
enum class Cancellation : std::uint8_t {
    nothing,
    view,        ///< view-dependent work: camera rays and their shading
    everything,  ///< also trees, photons and other data that a later frame could use
};

/// Thrown by cancelled work, whose results are then in an undefined state. Not an error: no
/// UserError, so that nobody mistakes it for a fault of a file.
class Cancelled : public std::exception {
  public:
    [[nodiscard]] const char* what() const noexcept override { return "cancelled"; }
};

}  // namespace tl
