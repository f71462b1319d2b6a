#include "app/viewer/actions/input_router.h"

#include <algorithm>
#include <cmath>

#include "app/viewer/actions/gizmo_actions.h"
#include "app/viewer/actions/region_actions.h"
#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/tree_views.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/actions/viewer_commands.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

constexpr float kStill = 4;  // pixels that a click may move by

/// Whether a key's command also works while the user types or a dialog is open.
bool works_everywhere(const KeyEvent& event, bool modal) {
    bool files =
        event.symbol == Key::q || (!modal && (event.symbol == Key::s || event.symbol == Key::o));
    return event.symbol >= Key::f1 || event.symbol == Key::escape ||
           (event.modifiers.control && files);
}

/// Whether the key moves through menus, panel and dialogs where these have the keyboard.
bool moves_in_interface(const KeyEvent& event) {
    constexpr std::array kKeys = {Key::tab,       Key::enter, Key::keypad_enter, Key::space,
                                  Key::page_up,   Key::left,  Key::right,        Key::up,
                                  Key::page_down, Key::down,  Key::home,         Key::end};
    return !event.modifiers.control && std::ranges::find(kKeys, event.symbol) != kKeys.end();
}

/// Whether the key moves a text that is longer than its window.
bool scrolls_text(const KeyEvent& event) {
    constexpr std::array kKeys = {Key::up,        Key::down, Key::page_up,
                                  Key::page_down, Key::home, Key::end};
    return event.modifiers == Modifiers{} && std::ranges::find(kKeys, event.symbol) != kKeys.end();
}

GizmoKeys gizmo_keys(const Modifiers& modifiers, const ViewerModel& model) {
    return {.snaps = modifiers.control != model.view.gizmo.snaps, .fine = modifiers.shift};
}

/// Whether the keyboard is free for flying.
bool flies(const InputCapture& capture) {
    return !capture.text && !capture.modal && !capture.keys;
}

}  // namespace

bool on_split(const ViewerModel& model) {
    constexpr float kReach = 7;  // pixels
    auto& picture = model.view.layout.picture;
    auto& compare = model.view.compare;
    if (!compare.second || compare.shown_mode(model.session) != CompareMode::split) return false;
    float split = static_cast<float>(picture.x) + compare.split * static_cast<float>(picture.width);
    return std::abs(model.view.cursor.x - split) <= kReach &&
           model.view.cursor.y >= static_cast<float>(picture.y) &&
           model.view.cursor.y < static_cast<float>(picture.y + picture.height);
}

bool InputRouter::handle(const InputEvent& event, const InputCapture& capture, ViewerModel& model) {
    if (auto* key = std::get_if<KeyEvent>(&event)) {
        return on_key(*key, capture, model);
    } else if (auto* text = std::get_if<TextEvent>(&event)) {
        if (capture.text || capture.modal) return false;
        if (auto* command = command_for(model.interface.commands, *text))
            run_command(*command, model);
    } else if (auto* button = std::get_if<ButtonEvent>(&event)) {
        on_button(*button, capture, model);
    } else if (auto* cursor = std::get_if<CursorEvent>(&event)) {
        on_cursor(*cursor, model);
    } else if (auto* scroll = std::get_if<ScrollEvent>(&event)) {
        if (!capture.mouse && !capture.modal && drag_ != Drag::gizmo)
            zoom(scroll->notches.y, model);
    } else if (auto* drop = std::get_if<DropEvent>(&event)) {
        if (!drop->paths.empty()) open_scene(model, drop->paths.front());
    } else if (auto* focus = std::get_if<FocusEvent>(&event); focus && !focus->focused) {
        // Key releases that go to another window are not received.
        held_ = {};
        end_gizmo_drag(model);
        drag_ = Drag::none;
        model.document.history.hold(false);
    }
    return false;
}

bool InputRouter::on_key(const KeyEvent& event, const InputCapture& capture, ViewerModel& model) {
    modifiers_ = event.modifiers;
    auto fly_key = std::find(kFlyKeys.begin(), kFlyKeys.end(), event.key);
    if (fly_key != kFlyKeys.end()) {
        bool free = !event.modifiers.control && !event.modifiers.alt && flies(capture) &&
                    drag_ != Drag::gizmo;
        held_[static_cast<std::size_t>(fly_key - kFlyKeys.begin())] = event.down && free;
    }
    if (drag_ == Drag::gizmo && model.view.gizmo.drag && !capture.modal) {
        // Other keys wait until the drag has ended.
        if (event.down && event.symbol == Key::escape)
            cancel_gizmo_drag(model);
        else if (dragged_)
            drag_gizmo(model, vec2(0), gizmo_keys(modifiers_, model));
        return true;
    }
    bool dialog = model.document.question && model.status.messages.dialog_title().empty();
    auto given = answer_of(model.document, static_cast<char>(event.symbol));
    if (dialog && given && event.down && !event.repeat && event.modifiers == Modifiers{}) {
        answer(model, *given);
        return true;
    }
    if ((capture.text || capture.modal) && !works_everywhere(event, capture.modal)) return false;
    if (capture.keys && moves_in_interface(event)) return false;
    if (capture.keys && event.symbol == Key::del)
        return false;  // resets or deletes what it reached
    if (capture.scrolls && scrolls_text(event)) return false;
    // Open parts of the interface are closed first, and a widget being changed is released.
    bool changing = (capture.text || (capture.keys && capture.held)) && !capture.modal;
    bool closes = event.symbol == Key::escape && (capture.popup || changing);
    auto* command = closes ? nullptr : command_for(model.interface.commands, event);
    if (command && !event.repeat) run_command(*command, model);
    return command != nullptr;
}

void InputRouter::on_button(const ButtonEvent& event, const InputCapture& capture,
                            ViewerModel& model) {
    modifiers_ = event.modifiers;
    if (drag_ == Drag::gizmo && event.button != drag_button_) {
        if (event.down) cancel_gizmo_drag(model);
        return;
    }
    if (!event.down) {
        release(event, model);
        return model.document.history.hold(false);
    }
    model.document.history.hold(true);
    if (!capture.mouse && !capture.modal && drag_ == Drag::none) press(event, model);
}

void InputRouter::press(const ButtonEvent& event, ViewerModel& model) {
    drag_button_ = event.button;
    bool left = event.button == MouseButton::left;
    if (model.view.region.awaits_drag && left) {
        drag_ = Drag::region;
        pressed_ = cursor_;
        return;
    }
    auto now = std::chrono::steady_clock::now();
    constexpr std::chrono::milliseconds kDoubleClick{350};
    // A drag before is no first click.
    bool twice = left && !dragged_ && !event.modifiers.shift && now - pressed_at_ < kDoubleClick &&
                 glm::length(cursor_ - pressed_) <= kStill;
    if (twice) {
        model.view.pixel.clicked = {cursor_, model.view.pixel.shown};
        // The first click has been part of this double click.
        model.view.pixel.pinned.reset();
        model.view.pixel.selected.reset();
    }
    bool gizmo = left && !twice && !flying() && begin_gizmo_drag(model, cursor_);
    bool orbit = gizmo || (left && !event.modifiers.shift);
    if (orbit) {
        pressed_at_ = now;
        pressed_ = cursor_;
        pressed_camera_ = model.view.pixel.shown;
        dragged_ = twice || flying();
    }
    if (gizmo)
        drag_ = Drag::gizmo;
    else
        drag_ = !orbit ? Drag::pan : on_split(model) ? Drag::split : Drag::orbit;
}

void InputRouter::release(const ButtonEvent& event, ViewerModel& model) {
    bool clicks = drag_ == Drag::orbit || (drag_ == Drag::gizmo && model.view.gizmo.drag);
    bool clicked = clicks && event.button == drag_button_ && !dragged_;
    if (clicked && model.view.pixel.picks != PickPurpose::none)
        model.view.pixel.picked = {pressed_, pressed_camera_};
    else if (clicked && model.view.pixel.wanted)
        pin_pixel(model.view.pixel, pressed_);
    else if (clicked)
        model.view.pixel.selected = {pressed_, pressed_camera_};
    if (event.button != drag_button_) return;
    if (drag_ == Drag::gizmo) end_gizmo_drag(model);
    bool drew = drag_ == Drag::region;
    drag_ = Drag::none;
    if (drew) take_drawn_region(model);
}

void InputRouter::zoom(float notches, ViewerModel& model) {
    auto& under = model.view.pixel.at_cursor;
    auto pixel = pixel_under_cursor(model);
    constexpr int kNear = 8;  // film pixels that the cursor may have moved since
    bool known = under.hit && pixel && std::abs(pixel->x - under.x) <= kNear &&
                 std::abs(pixel->y - under.y) <= kNear;
    if (known)
        model.view.camera.zoom_to(under.position, notches);
    else
        model.view.camera.zoom(notches);
}

void InputRouter::on_cursor(const CursorEvent& event, ViewerModel& model) {
    auto& view = model.view;
    vec2 moved = event.position - cursor_;
    cursor_ = view.cursor = event.position;
    dragged_ = dragged_ || glm::length(cursor_ - pressed_) > kStill;
    if (drag_ == Drag::none) return;
    if (drag_ == Drag::region) {
        // Esc may have ended the drawing.
        if (!view.region.awaits_drag) return;
        vec2 a = share_of_picture(view.layout, pressed_);
        vec2 b = share_of_picture(view.layout, cursor_);
        view.region.drawn = {glm::min(a, b), glm::max(a, b)};
        return;
    }
    if (drag_ == Drag::split) {
        view.compare.split = std::clamp(view.layout.share_of_width(cursor_.x), 0.0f, 1.0f);
        return;
    }
    if (drag_ == Drag::gizmo) {
        if (dragged_) drag_gizmo(model, moved, gizmo_keys(modifiers_, model));
        return;
    }
    moved /= static_cast<float>(std::max(view.layout.picture.height, 1));
    if (drag_ == Drag::pan)
        view.camera.pan(moved);
    else if (flying())
        view.camera.look(moved);
    else
        view.camera.orbit(moved);
}

void InputRouter::advance(float seconds, const InputCapture& capture, ViewerView& view) {
    if (!flies(capture) || !flying()) return;
    constexpr std::array<vec3, kFlyKeys.size()> kWays = {vec3(0, 0, 1),  vec3(-1, 0, 0),
                                                         vec3(0, 0, -1), vec3(1, 0, 0),
                                                         vec3(0, -1, 0), vec3(0, 1, 0)};
    vec3 way(0);
    for (std::size_t i = 0; i < held_.size(); ++i)
        if (held_[i]) way += kWays[i];
    constexpr float kLongestStep = 0.1f;  // seconds, so that a slow frame causes no jump
    view.camera.fly(way, std::min(seconds, kLongestStep), modifiers_.shift);
}

bool InputRouter::flying() const {
    return std::any_of(held_.begin(), held_.end(), [](bool held) { return held; });
}

}  // namespace tl
