// Closing the viewer: unsaved edits and files that are still being written come first. No GL, no
// ImGui.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tl {

struct ViewerModel;

/// A request to close that waits for unfinished files.
struct Closing {
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
    std::size_t errors_before = 0;  ///< number of error messages at the request
    bool waits = false;  ///< without a time limit, after the choice to wait in the dialog
};

/// Files that are still being written.
struct UnfinishedFiles {
    std::vector<std::string> texts;  ///< "2 screenshots", "the sequence a_%d.png (3 of 60 frames)"
    bool takes_long = false;         ///< the viewer asks at once, without a delay
};
[[nodiscard]] UnfinishedFiles unfinished_files(const ViewerModel& model);

/// Closes the viewer. Asks first if edits would be lost or if files take long to write. Finishes
/// files that take a moment.
void quit(ViewerModel& model);
/// Closes, asks or keeps waiting; call once a step of the loop. An error keeps the viewer open.
void advance_closing(ViewerModel& model);
/// Closes without waiting for files. Drops screenshots that were not taken yet, and ends work that
/// writes files.
void close_unfinished(ViewerModel& model);

}  // namespace tl
