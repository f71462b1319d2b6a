// A field for the path of a file, with a button that opens the file browser.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tl {

struct ViewerModel;

struct FileField {
    const char *label, *hint, *title;  ///< title: of the browser's dialog
    std::vector<std::string> extensions;
    bool saves = false;     ///< the file is written
    bool on_enter = false;  ///< typed text takes effect only once Enter is pressed
};

/// Draws the field over `path`; returns whether it has changed by typing. A path chosen in the
/// browser, which is absolute, goes to `choose`. The user of a typed path must expand "~"
/// (with_home).
bool draw_file_field(ViewerModel& model, const FileField& field, std::string& path,
                     std::function<void(ViewerModel&, const std::string& path)> choose);

}  // namespace tl
