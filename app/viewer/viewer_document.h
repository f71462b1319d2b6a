// The opened scene and its edits, and work that is not written to files yet. No GL, no
// ImGui.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/jobs/scene_loading.h"
#include "app/viewer/actions/closing.h"
#include "app/viewer/actions/unsaved_edits.h"
#include "app/viewer/files/file_watch.h"
#include "app/viewer/files/picture_writer.h"
#include "app/viewer/views/edit_history.h"
#include "core/base/read_log.h"
#include "renderer/scene/scene_document.h"
#include "renderer/scene/scene_edits.h"

namespace tl {

/// Object, material or light that was clicked, to be edited: their numbers among all of the edited
/// scene, hidden ones included.
struct Selection {
    std::optional<std::uint32_t> material{}, light{};
    std::optional<ObjectId> object{};
    std::optional<std::uint32_t> primitive{};  ///< index as in ProbedPixel, of what was clicked

    [[nodiscard]] bool empty() const { return !material && !light && !object; }
    bool operator==(const Selection&) const = default;
};

/// The files of the scene that was read last, and whether they are watched.
struct SceneWatch {
    bool on = false;
    std::string path;  ///< of the scene, whether or not it could be loaded
    std::vector<ReadFile> read;
    FileWatch changes{};
};

/// The open scene with its edits, and all that closing the viewer could lose.
struct ViewerDocument {
    EditHistory history{};
    bool restoring = false;  ///< an undo or redo makes edits, which are no steps
    SceneDocument scene{};   ///< of the session's scene, where that can be edited
    Selection selection{};
    /// Work as saved in the file that was opened or saved.
    SceneWork saved_work{};
    /// Path that the scene was last saved as; "": none yet.
    std::string saved_path{};
    std::optional<UnsavedQuestion> question{};  ///< open question to the user
    std::optional<SceneWork> given_up{};        ///< work that the user has agreed to lose
    std::optional<Closing> closing{};           ///< request to close that is not fulfilled yet
    bool may_close = false;                     ///< nothing would be lost or left unfinished
    SceneLoading loading{};
    SceneWatch watch{};
    bool first_view = true;  ///< no scene has been opened yet
    PictureWriter pictures{};
    /// Requested pictures, which wait for one at full resolution.
    std::vector<PictureRequest> awaited_screenshots{};
    std::size_t n_screenshots_taken = 0;  ///< screenshots whose copies wait for the frame's end
};

}  // namespace tl
