#include "app/viewer/viewer_interface.h"

#include <algorithm>

#include "app/viewer/actions/viewer_commands.h"
#include "app/viewer/viewer_model.h"

namespace tl {

void add_menu(std::vector<ViewerCommand>& table, const char* menu,
              const std::vector<ViewerCommand>& commands) {
    for (auto& command : commands) {
        table.push_back(command);
        table.back().menu = menu;
    }
}

ViewerCommand toggle(ViewerCommand command, bool (*checked)(const ViewerModel&)) {
    command.checked = checked;
    return command;
}

ViewerCommand only_if(bool (*available)(const ViewerModel&), std::string reason,
                      ViewerCommand command) {
    command.available = available;
    command.reason = std::move(reason);
    return command;
}

ViewerCommand below_line(ViewerCommand command) {
    command.separated = true;
    return command;
}

std::vector<ViewerCommand> within_submenu(const std::string& title,
                                          std::vector<ViewerCommand> commands) {
    for (auto& command : commands) command.submenu = title;
    return commands;
}

void run_command(const ViewerCommand& command, ViewerModel& model) {
    if (!command.available || command.available(model))
        command.action(model);
    else if (!command.reason.empty())
        model.status.messages.info(command.reason);
}

ViewerInterface make_interface(void (*draw)(ViewerModel& model, float scale),
                               std::vector<PanelSection> sections) {
    ViewerInterface interface {
        draw, std::move(sections), viewer_commands(), {}
    };
    auto& commands = interface.commands;
    for (auto& section : interface.sections) {
        if (section.make_state) interface.states.push_back(section.make_state());
        if (!section.commands) continue;
        for (auto& added : section.commands()) {
            // A menu of its own comes before the help, which is the last one.
            auto last = std::ranges::find(commands.rbegin(), commands.rend(), added.menu,
                                          &ViewerCommand::menu);
            auto at = last != commands.rend()
                          ? last.base()
                          : std::ranges::find(commands, "Help", &ViewerCommand::menu);
            if (at != commands.begin() && std::prev(at)->title == kQuit) --at;
            commands.insert(at, added);
        }
    }
    return interface;
}

}  // namespace tl
