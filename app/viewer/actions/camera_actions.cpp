#include "app/viewer/actions/camera_actions.h"

#include <algorithm>

#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {

void store_bookmark(ViewerModel& model, int number) {
    auto step = model.document.history.step("bookmark " + std::to_string(number));
    Bookmark bookmark{.number = number, .camera = model.view.camera.camera()};
    auto* before = find_bookmark(model.document.scene.bookmarks, number);
    if (before) bookmark.name = before->name;
    model.status.messages.info((before ? "replaced bookmark " : "kept as bookmark ") +
                               std::to_string(number));
    set_bookmark(model.document.scene.bookmarks, bookmark);
    record(model, step);
}

void go_to_bookmark(ViewerModel& model, int number) {
    auto text = std::to_string(number);
    auto* bookmark = find_bookmark(model.document.scene.bookmarks, number);
    if (!bookmark)
        return model.status.messages.info(
            "no camera is kept as bookmark " + text +
            (number <= 9 ? "; Ctrl+" + text + " keeps this one" : ""));
    model.view.camera.set_camera(bookmark->camera);
    model.status.messages.info("bookmark " + text +
                               (bookmark->name.empty() ? "" : ": " + bookmark->name));
}

void delete_bookmark(ViewerModel& model, int number) {
    auto step = model.document.history.step("bookmark " + std::to_string(number));
    std::erase_if(model.document.scene.bookmarks,
                  [&](const Bookmark& bookmark) { return bookmark.number == number; });
    record(model, step);
}

void rename_bookmark(ViewerModel& model, int number, const std::string& name) {
    auto step = model.document.history.step("name of bookmark " + std::to_string(number));
    auto* found = find_bookmark(model.document.scene.bookmarks, number);
    if (!found) return;
    Bookmark renamed = *found;
    renamed.name = name;
    set_bookmark(model.document.scene.bookmarks, renamed);
    record(model, step);
}

int free_bookmark(const Bookmarks& bookmarks) {
    for (int number = 1; number <= Bookmark::kMost; ++number)
        if (!find_bookmark(bookmarks, number)) return number;
    return 0;
}

void show_side(ViewerModel& model, ViewSide side) {
    model.view.camera.show_side(side);
    frame_all(model.view);
}

void copy_camera(ViewerModel& model) {
    auto flags = camera_flags(model.view.camera.camera());
    model.context.set_clipboard(flags);
    model.status.messages.info("copied: " + flags);
}

void paste_camera(ViewerModel& model) {
    try {
        model.view.camera.set_camera(
            parse_camera_flags(model.context.clipboard(), model.view.camera.camera()));
        model.status.messages.info("pasted the camera");
    } catch (const UserError& error) {
        model.status.messages.warning(std::string("the clipboard holds no camera: ") +
                                      error.what());
    }
}

}  // namespace tl
