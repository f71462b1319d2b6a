#include "app/viewer/actions/camera_actions.h"

#include <algorithm>
#include <utility>

#include "app/jobs/format.h"
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

std::string pick_hint(PickPurpose purpose) {
    return purpose == PickPurpose::target ? "click on the new target, Esc cancels"
                                          : "click on what is to be in focus, Esc cancels";
}

void toggle_picking(ViewerModel& model, PickPurpose purpose) {
    auto& pixel = model.view.pixel;
    if (pixel.picks == purpose) return stop_picking(model);
    pixel.picks = purpose;
    pixel.picked.reset();
    model.status.messages.info(pick_hint(purpose));
}

void stop_picking(ViewerModel& model) {
    model.view.pixel.picks = PickPurpose::none;
    model.view.pixel.picked.reset();
    model.status.messages.info("nothing was picked: the camera stays");
}

void use_picked(ViewerModel& model, const ProbedPixel& found) {
    auto purpose = std::exchange(model.view.pixel.picks, PickPurpose::none);
    auto& camera = model.view.camera;
    bool target = purpose == PickPurpose::target;
    bool set =
        found.hit && (target ? camera.set_pivot(found.position) : camera.focus_on(found.position));
    auto& messages = model.status.messages;
    if (!set)
        return messages.info(std::string("nothing was hit there: the ") +
                             (target ? "target" : "focus distance") + " stays");
    auto distance = formatted(
        "%.4g", static_cast<double>(target ? found.distance : camera.camera().focus_distance));
    if (target)
        messages.info("the camera orbits what was picked, at a distance of " + distance);
    else
        messages.info("focus distance " + distance +
                      (camera.camera().lens_radius > 0
                           ? std::string()
                           : std::string("; it shows once the lens has a radius")));
}

void change_camera(ViewerModel& model, const Camera& camera) {
    if (auto fault = camera_fault(camera); !fault.empty())
        return model.status.messages.warning("the camera stays as it is: " + fault);
    model.view.camera.set_camera(camera);
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
