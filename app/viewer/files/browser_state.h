// State of the file browser: its request, the folder that it shows, and the text typed into it. One
// dialog opens files and chooses names to save under, by keys or the mouse.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/viewer/files/folder_listing.h"

namespace tl {

struct ViewerModel;

/// A format that a file can be saved in.
struct BrowserFormat {
    std::string title, extension, help;
};

/// Request to choose a file.
struct BrowserRequest {
    std::string title;                    ///< of the dialog: "Open a scene"
    std::vector<std::string> extensions;  ///< of the files that are listed: ".toml"
    /// Receives the chosen path: an existing file, or a name that is no file ("generate:terrain").
    /// For saving: a file that does not exist or may be replaced.
    std::function<void(ViewerModel&, const std::string& path)> choose;
    bool saves = false;          ///< chooses a name to save under
    std::string suggested_name;  ///< for saving: the name that is typed at first
    /// For opening: names that Tab completes besides files, such as "generate:terrain".
    std::vector<std::string> names{};
    /// For saving in one of several formats: these, of which the dialog has a list.
    std::vector<BrowserFormat> formats{};
    std::size_t format = 0;  ///< chosen at first
    /// For saving: returns the path of a file that is written with the chosen one, or "". Null:
    /// none ever is.
    std::function<std::string(const std::string& path)> beside{};
};

struct BrowserState {
    bool open = false;
    BrowserRequest request;
    FolderListing listing;
    std::string typed;          ///< relative to the listing's folder
    int selected = kNone;       ///< entry of the listing that the arrow keys have reached
    bool reveals = false;       ///< the list is to be scrolled to the selected entry
    std::string fault;          ///< why the typed text could not be used, or ""
    std::size_t format = 0;     ///< chosen of the request's; stays for its `choose`
    std::string to_replace;     ///< existing file that choosing it again replaces, or ""
    bool takes_focus = true;    ///< the text field is to get the keyboard
    bool leaves_field = false;  ///< focus moves on to the next widget
    static constexpr int kNone = -1;
};

/// Opens the browser on a folder; "" is the current one.
void ask_for_file(BrowserState& browser, BrowserRequest request, const std::string& folder);
/// Chooses one of the request's formats; the typed name gets its ending.
void choose_format(BrowserState& browser, std::size_t format);
/// Closes the browser. Drops its request, and scenes that the request holds.
void close_browser(BrowserState& browser);
/// Shows a folder, relative to the one shown; the typed text is cleared.
void enter_folder(BrowserState& browser, const std::string& folder);
/// Moves the selection by `by` entries and types its name.
void select_entry(BrowserState& browser, int by);
/// Selects the first entry that begins with the typed text, after a change of it.
void follow_typed(BrowserState& browser);
/// Typed text, completed as far as all entries that begin with it agree.
[[nodiscard]] std::string completed(const BrowserState& browser);
/// Enters the typed folder, or closes the browser and uses the typed file. Saving asks before it
/// replaces a file. On an error sets `fault`, and the browser stays open.
void choose_typed(ViewerModel& model);

/// Absolute path of a typed one: relative to `folder`, with ~ for the user's home. A name that is
/// no file, such as "generate:terrain", is returned unchanged.
[[nodiscard]] std::string path_of(const std::string& typed, const std::string& folder);

}  // namespace tl
