// Flags of `treelight view`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "app/viewer/viewer_interface.h"
#include "app/viewer/viewer_options.h"
#include "session/session_options.h"

namespace tl {

struct ViewFlags {
    SessionOptions session;
    ViewerOptions viewer;
    bool offscreen = false, vsync = true, fullscreen = false;
    bool no_config = false, reset_config = false, hide_panel = false;
    std::string motion_resolution, motion_samples = "auto";
    std::string compare_builder, compare_with, compare_picture, compare_mode;
    std::optional<std::uint64_t> random_input_seed;  ///< seed of random input
    ViewerInterface interface;
    CLI::Option* size = nullptr;
    bool has_size = false;  ///< the size is given by its flag or by a compared picture
};

/// Adds the flags, whose variables must outlive the command.
void add_view_flags(CLI::App& view, ViewFlags& flags);

}  // namespace tl
