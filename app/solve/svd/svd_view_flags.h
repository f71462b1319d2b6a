// Flags of `view` that configure and start a decomposition.
#pragma once

#include <string>

#include "core/device/background.h"

namespace CLI {
class App;
}

namespace tl {

struct SvdTask;

struct SvdViewFlags {
    std::string source;  ///< "frame", "form-factors", a kind of matrix, or a file; "": no start
    std::string mode = "auto";
    int size = 512;
    int rank = 16;
    BackgroundConfig background{};
};

/// --svd, --svd-mode, --svd-size, --svd-rank, --svd-gpu-share.
void add_svd_view_flags(CLI::App& view, SvdViewFlags& flags);
/// The task on a device that the flags describe. Throws UsageError for an unknown source or mode.
[[nodiscard]] SvdTask task_of(const SvdViewFlags& flags, const std::string& device);

}  // namespace tl
