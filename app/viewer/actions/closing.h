// Closing the viewer: what would be lost, or is not finished yet, comes first. No GL, no ImGui.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tl {

struct ViewerModel;

/// A wish to close that waits for what is unfinished.
struct Closing {
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
    std::size_t errors_before = 0;  ///< messages of errors when the wish came
    bool waits = false;             ///< however long it takes: the user has been asked
};

/// Files that the user has asked for and that are not written yet.
struct UnfinishedFiles {
    std::vector<std::string> texts;  ///< "2 screenshots", "the sequence a_%d.png (3 of 60 frames)"
    bool takes_long = false;         ///< the user is asked at once
};
[[nodiscard]] UnfinishedFiles unfinished_files(const ViewerModel& model);

/// Closes the viewer. Edits that would be lost, and files that take long, are asked about first;
/// what takes a moment is finished.
void quit(ViewerModel& model);
/// Call once a step of the loop: goes on with closing where what was waited for has ended. An error
/// meanwhile keeps the viewer open.
void advance_closing(ViewerModel& model);
/// Closes without what is unfinished.
void close_unfinished(ViewerModel& model);

}  // namespace tl
