// The state of the panel of decompositions: what is chosen, what runs, what has come of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "app/solve/svd/svd_runner.h"
#include "renderer/images/image_io.h"

namespace tl {

struct SvdView {
    SvdTask task;  ///< as the panel has it; the frame and the scene are added when it starts
    SvdRunner runner;
    std::vector<SvdOutcome> history;  ///< in the order they ended, those with an error too
    int reveal = 0;    ///< frames in which the panel opens its section and scrolls to it
    bool due = false;  ///< the command line asks for a start once the frame rate is known
    std::chrono::steady_clock::time_point due_since{};  ///< set by the first frame
    int settle = 0;                                     ///< frames to draw after a run has ended

    // Of the run in progress.
    std::string mode;       ///< as it was asked for
    double fps_before = 0;  ///< 0: no frames were being made
    std::uint64_t frames_during = 0;
    std::chrono::steady_clock::time_point started{};

    // Of the time after a run beside which frames were made, while their rate is taken.
    bool measuring_after = false;
    std::uint64_t frames_after = 0;
    std::chrono::steady_clock::time_point ended{};

    // Of the newest frame that was decomposed.
    int rank = 16;          ///< shown
    int most_rank = 0;      ///< 0: there is none
    RankPicture picture{};  ///< the newest approximation
    Image8 preview;         ///< it as grey pixels
    std::uint64_t preview_version = 0;
    std::uintptr_t preview_texture = 0;  ///< GL's name of it, by the viewer

    /// Something is still to be shown.
    [[nodiscard]] bool active() const {
        return due || runner.busy() || runner.showing() || settle > 0;
    }
};

}  // namespace tl
