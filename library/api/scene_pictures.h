// State of an open scene in the C interface, and rendering of its pictures.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "core/base/read_progress.h"
#include "library/api/guarded.h"
#include "library/api/scene_settings.h"
#include "renderer/scene/scene_document.h"
#include "session/sequence.h"

struct tl_scene {
    std::shared_ptr<const tl::Scene> scene;
    tl::Bookmarks bookmarks{};

    std::atomic<tl::Cancellation> cancellation = tl::Cancellation::nothing;
    std::atomic<std::uint64_t> n_cancelled = 0;  ///< calls of tl_scene_cancel()
    std::mutex rendering;                        ///< guards the next two
    std::unique_ptr<tl::Session> session{};      ///< of earlier pictures; null: none
    tl::SessionSettings::Choices own_choices{};  ///< of the scene's file, and defaults

    std::mutex telling;  ///< guards the warnings
    std::deque<std::string> warnings{};

    /// Adds a warning, unless it was added before or is "".
    void warn(const std::string& line) {
        std::scoped_lock lock(telling);
        bool known = line.empty() || std::ranges::find(warnings, line) != warnings.end();
        if (!known) warnings.push_back(line);
    }
};

namespace tl {

/// Progress of reading and preparing a scene, reported to the caller's callback.
[[nodiscard]] inline ReadProgress reading_progress(const ProgressCallback& told) {
    return {.on_read = [told](double share) { told("reading", share); }, .on_work = told};
}

/// Throws UserError for a picture that cannot be rendered.
void check_picture(const tl_picture& picture);

/// Renders the scene into the picture, which has been checked: as the options say, or `frame` of a
/// sequence. Must not run in two threads at once. The error of a cancelled call is remembered.
tl_status render_picture(tl_scene& scene, const PictureOptions& options, const SequenceFrame* frame,
                         tl_picture& picture, const ProgressCallback& told);

}  // namespace tl
