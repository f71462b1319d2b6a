// A field for the path of a file, with a button that opens the file browser.
#pragma once

#include "app/viewer/viewer_model.h"

namespace tl {

struct FileField {
    const char *label, *hint, *title;  ///< title: of the browser's dialog
    std::vector<std::string> extensions;
    bool saves = false;     ///< the file is written
    bool on_enter = false;  ///< what is typed counts once Enter is pressed
};

/// Draws the field over `path`; true if it has changed by typing. What is chosen in the browser, an
/// absolute path, goes to `choose`. Whoever uses a typed path expands "~" (with_home).
bool draw_file_field(ViewerModel& model, const FileField& field, std::string& path,
                     std::function<void(ViewerModel&, const std::string& path)> choose);

}  // namespace tl
