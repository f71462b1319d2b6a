// The menu Camera: clipboard, picking, standard views and bookmarks.
#include <iterator>
#include <string>
#include <utility>

#include "app/viewer/actions/camera_actions.h"
#include "app/viewer/actions/menu_commands.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

constexpr Key digit_key(std::size_t digit) {
    return static_cast<Key>('0' + digit);
}

/// Two commands for each of the bookmarks that have keys.
template <std::size_t... i>
std::vector<ViewerCommand> bookmark_commands(std::index_sequence<i...>) {
    auto number = [](std::size_t k) { return std::to_string(k + 1); };
    return {{"Go to bookmark " + number(i),
             "Return to the camera that was kept.",
             {{digit_key(i + 1), modifiers::kAlt}},
             [](ViewerModel& m) { go_to_bookmark(m, i + 1); },
             [](const ViewerModel& m) {
                 auto* found = find_bookmark(m.document.scene.bookmarks, i + 1);
                 return !found ? "none" : found->name.empty() ? "kept" : found->name;
             },
             {},
             [](const ViewerModel& m) {
                 return find_bookmark(m.document.scene.bookmarks, i + 1) != nullptr;
             },
             nullptr,
             "no camera is kept as bookmark " + number(i) + "; Ctrl+" + number(i) +
                 " keeps this one"}...,
            {"Keep as bookmark " + number(i),
             "Keep this camera, to return to it.",
             {{digit_key(i + 1), modifiers::kControl}},
             [](ViewerModel& m) { store_bookmark(m, i + 1); }}...};
}

/// One command for each standard view, by Alt and its first letter.
template <std::size_t... i>
std::vector<ViewerCommand> side_commands(std::index_sequence<i...>) {
    constexpr Key kKeys[] = {Key::f, Key::k, Key::l, Key::r, Key::t, Key::b, Key::i};
    return {{std::string(kViewSides[i].title) + " view",
             kViewSides[i].help,
             {{kKeys[i], modifiers::kAlt}},
             [](ViewerModel& m) { show_side(m, static_cast<ViewSide>(i)); }}...};
}

}  // namespace

std::vector<ViewerCommand> camera_commands() {
    using namespace modifiers;
    std::vector<ViewerCommand> commands{
        {"Copy camera",
         "Put the camera on the clipboard as flags.",
         {{Key::c, kControl}},
         copy_camera},
        {"Paste camera",
         "Take the camera from flags on the clipboard.",
         {{Key::v, kControl}},
         paste_camera},
        below_line(
            toggle({"Pick target",
                    "Orbit what the next click hits; the view does not turn.",
                    {{Key::t, kControl}},
                    [](ViewerModel& m) { toggle_picking(m, PickPurpose::target); }},
                   [](const ViewerModel& m) { return m.view.pixel.picks == PickPurpose::target; })),
        toggle({"Pick focus",
                "Set the focus distance to what the next click hits.",
                {{Key::t, kControlShift}},
                [](ViewerModel& m) { toggle_picking(m, PickPurpose::focus); }},
               [](const ViewerModel& m) { return m.view.pixel.picks == PickPurpose::focus; }),
    };
    auto add = [&](const std::string& submenu, const std::vector<ViewerCommand>& added) {
        for (auto& command : within_submenu(submenu, added)) commands.push_back(command);
    };
    add("Standard views", side_commands(std::make_index_sequence<std::size(kViewSides)>()));
    add("Bookmarks", bookmark_commands(std::make_index_sequence<9>()));
    return commands;
}

}  // namespace tl
