// The file browser's state: what it is for, the folder that it shows, and the text typed into it.
// One dialog opens files and chooses names to save under; it is driven by keys or the mouse.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/viewer/files/folder_listing.h"

namespace tl {

struct ViewerModel;

/// What the browser asks for.
struct BrowserRequest {
    std::string title;                    ///< of the dialog: "Open a scene"
    std::vector<std::string> extensions;  ///< of the files that are listed: ".toml"
    /// Gets the chosen path: an existing file, or what names no file ("generate:terrain"); for
    /// saving, a file that does not exist or may be replaced.
    std::function<void(ViewerModel&, const std::string& path)> choose;
    bool saves = false;          ///< asks for a name to save under
    std::string suggested_name;  ///< for saving: the name that is typed at first
    /// For opening: what Tab completes beside files, such as "generate:terrain".
    std::vector<std::string> names{};
};

struct BrowserState {
    bool open = false;
    BrowserRequest request;
    FolderListing listing;
    std::string typed;          ///< relative to the listing's folder
    int selected = kNone;       ///< entry of the listing that the arrow keys have reached
    bool reveals = false;       ///< the list is to be scrolled to the selected entry
    std::string fault;          ///< why the typed text could not be used, or ""
    std::string to_replace;     ///< existing file that choosing it again replaces, or ""
    bool takes_focus = true;    ///< the text field is to get the keyboard
    bool leaves_field = false;  ///< it is to go on to the next widget
    static constexpr int kNone = -1;
};

/// Opens the browser on a folder; "" is the current one.
void ask_for_file(BrowserState& browser, BrowserRequest request, const std::string& folder);
/// Closes the browser. What the request would have done is forgotten, with the scenes that it
/// holds.
void close_browser(BrowserState& browser);
/// Shows a folder, relative to the one shown; the typed text is cleared.
void enter_folder(BrowserState& browser, const std::string& folder);
/// Moves the selection by so many entries and types its name.
void select_entry(BrowserState& browser, int by);
/// The typed text has changed: selects the first entry that begins with it.
void follow_typed(BrowserState& browser);
/// Completes the typed text as far as all entries agree that begin with it.
[[nodiscard]] std::string completed(const BrowserState& browser);
/// Enters the typed folder, or closes the browser and uses the typed file. Saving asks before it
/// replaces a file. What cannot be used is told in `fault`, and the browser stays open.
void choose_typed(ViewerModel& model);

/// An absolute path for a typed one: relative to `folder`, with ~ for the user's home. What names
/// no file, such as "generate:terrain", is returned as it is.
[[nodiscard]] std::string path_of(const std::string& typed, const std::string& folder);

}  // namespace tl
