// Flags of `view` that choose and start a decomposition.
#pragma once

#include <CLI/CLI.hpp>

#include "app/viewer/viewer_model.h"

namespace tl {

struct SvdTaskFlags {
    std::string source;  ///< "frame", "form-factors", a kind of matrix, or a file; "": no start
    std::string mode = "auto";
    int size = 512;
    int rank = 16;
    BackgroundConfig background{};
};

/// --svd, --svd-mode, --svd-size, --svd-rank, --svd-gpu-share.
void add_svd_task_flags(CLI::App& view, SvdTaskFlags& flags);
/// Throws UsageError for a source or a mode that is not known.
void apply_svd_flags(const SvdTaskFlags& flags, const std::string& device, ViewerOptions& options);

}  // namespace tl
