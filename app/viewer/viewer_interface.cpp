#include "app/viewer/viewer_interface.h"

#include <algorithm>

#include "app/viewer/viewer_commands.h"

namespace tl {

ViewerInterface make_interface(void (*draw)(ViewerModel& model, float scale),
                               std::vector<PanelSection> sections) {
    ViewerInterface interface {
        draw, std::move(sections), viewer_commands(), {}
    };
    auto& commands = interface.commands;
    for (auto& section : interface.sections) {
        if (section.make_state) interface.states.push_back(section.make_state());
        if (!section.commands) continue;
        // The help menu is the last one.
        auto help = std::find_if(commands.begin(), commands.end(),
                                 [](auto& command) { return command.menu == "Help"; });
        auto added = section.commands();
        commands.insert(help, added.begin(), added.end());
    }
    return interface;
}

}  // namespace tl
