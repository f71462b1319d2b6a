#include "app/viewer/actions/camera_actions.h"

#include <algorithm>

#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/viewer_actions.h"

namespace tl {

void store_bookmark(ViewerModel& model, int number) {
    auto step = model.history.step("bookmark " + std::to_string(number));
    Bookmark bookmark{.number = number, .camera = model.camera.camera()};
    auto* before = find_bookmark(model.document.bookmarks, number);
    if (before) bookmark.name = before->name;
    model.messages.info((before ? "replaced bookmark " : "kept as bookmark ") +
                        std::to_string(number));
    set_bookmark(model.document.bookmarks, bookmark);
    record(model, step);
}

void go_to_bookmark(ViewerModel& model, int number) {
    auto text = std::to_string(number);
    auto* bookmark = find_bookmark(model.document.bookmarks, number);
    if (!bookmark)
        return model.messages.info("no camera is kept as bookmark " + text +
                                   (number <= 9 ? "; Ctrl+" + text + " keeps this one" : ""));
    model.camera.set_camera(bookmark->camera);
    model.messages.info("bookmark " + text + (bookmark->name.empty() ? "" : ": " + bookmark->name));
}

void delete_bookmark(ViewerModel& model, int number) {
    auto step = model.history.step("bookmark " + std::to_string(number));
    std::erase_if(model.document.bookmarks,
                  [&](const Bookmark& bookmark) { return bookmark.number == number; });
    record(model, step);
}

void rename_bookmark(ViewerModel& model, int number, const std::string& name) {
    auto step = model.history.step("name of bookmark " + std::to_string(number));
    auto* found = find_bookmark(model.document.bookmarks, number);
    if (!found) return;
    Bookmark renamed = *found;
    renamed.name = name;
    set_bookmark(model.document.bookmarks, renamed);
    record(model, step);
}

int free_bookmark(const ViewerModel& model) {
    for (int number = 1; number <= Bookmark::kMost; ++number)
        if (!find_bookmark(model.document.bookmarks, number)) return number;
    return 0;
}

void show_side(ViewerModel& model, ViewSide side) {
    model.camera.show_side(side);
    frame_all(model);
}

void copy_camera(ViewerModel& model) {
    auto flags = camera_flags(model.camera.camera());
    model.context.set_clipboard(flags);
    model.messages.info("copied: " + flags);
}

void paste_camera(ViewerModel& model) {
    try {
        model.camera.set_camera(
            parse_camera_flags(model.context.clipboard(), model.camera.camera()));
        model.messages.info("pasted the camera");
    } catch (const UserError& error) {
        model.messages.warning(std::string("the clipboard holds no camera: ") + error.what());
    }
}

}  // namespace tl
