// The table of commands, which defines keys, menus and the help overlay.
#include <gtest/gtest.h>

#include <set>

#include "app/program.h"
#include "app/viewer/actions/viewer_commands.h"

namespace tl::commands_tests {
namespace {

KeyEvent press(Key key, Modifiers modifiers = {}) {
    return {key, key, true, false, modifiers};
}

/// The commands of the viewer and of all sections of the panel.
const std::vector<ViewerCommand>& all_commands() {
    static const auto interface = viewer_interface();
    return interface.commands;
}

TEST(ViewerCommands, NoKeyMeansTwoThings) {
    std::set<std::string> keys;
    for (auto& command : all_commands())
        for (auto& binding : command.bindings)
            EXPECT_TRUE(keys.insert(binding_text(binding)).second)
                << binding_text(binding) << " of " << command.title;
}

TEST(ViewerCommands, NoKeyIsAlsoAFlyKey) {
    for (Key key : {Key::w, Key::a, Key::s, Key::d, Key::q, Key::e}) {
        EXPECT_EQ(command_for(all_commands(), press(key)), nullptr);
        EXPECT_EQ(command_for(all_commands(), press(key, {.shift = true})), nullptr);
    }
}

TEST(ViewerCommands, EveryCommandHasATitleHelpKeyAndAction) {
    std::set<std::string> titles;
    for (auto& command : all_commands()) {
        EXPECT_TRUE(titles.insert(command.title).second) << command.title;
        EXPECT_FALSE(command.title.empty()) << command.help;
        EXPECT_TRUE(command.help.ends_with(".")) << command.title;
        // A submenu's entries have actions of their own; help and additions need no keys.
        bool needs_keys = command.menu != "Help" && command.menu != "Add";
        EXPECT_TRUE(command.entries ? command.bindings.empty()
                                    : !command.bindings.empty() || !needs_keys)
            << command.title;
        EXPECT_EQ(command.action == nullptr, command.entries != nullptr) << command.title;
    }
}

TEST(ViewerCommands, MenusStandTogether) {
    std::set<std::string> seen;
    std::string menu;
    for (auto& command : all_commands())
        if (command.menu != menu) {
            menu = command.menu;
            EXPECT_TRUE(seen.insert(menu).second) << menu << " is in two places";
        }
}

TEST(ViewerCommands, CommandsOfASubmenuStandTogether) {
    std::set<std::string> seen;
    std::string submenu;
    for (auto& command : all_commands()) {
        if (command.submenu == submenu) continue;
        submenu = command.submenu;
        EXPECT_TRUE(submenu.empty() || seen.insert(submenu).second) << submenu;
    }
    EXPECT_TRUE(seen.contains("Bookmarks"));
}

TEST(ViewerCommands, EveryCommandIsInTheHelpWithItsKeys) {
    auto rows = help_rows(all_commands());
    for (auto& command : all_commands()) {
        int count = 0;
        for (auto& row : rows)
            if (row.command == &command) {
                ++count;
                for (auto& binding : command.bindings)
                    EXPECT_NE(row.keys.find(binding_text(binding)), std::string::npos);
            }
        EXPECT_EQ(count, 1) << command.title;
    }
    EXPECT_GT(rows.size(), all_commands().size());  // mouse and flying
}

TEST(ViewerCommands, EveryKeyCallsItsCommand) {
    for (auto& command : all_commands())
        for (auto& binding : command.bindings) {
            if (binding.character) {
                TextEvent text{static_cast<char32_t>(binding.character)};
                EXPECT_EQ(command_for(all_commands(), text), &command);
            } else {
                EXPECT_EQ(command_for(all_commands(), press(binding.key, binding.modifiers)),
                          &command);
                KeyEvent release = press(binding.key, binding.modifiers);
                release.down = false;
                EXPECT_EQ(command_for(all_commands(), release), nullptr);
            }
        }
}

TEST(ViewerCommands, KeysAreWrittenAsPeopleWriteThem) {
    EXPECT_EQ(binding_text({Key::o, {.control = true}}), "Ctrl+O");
    EXPECT_EQ(binding_text({Key::f12, {.shift = true}}), "Shift+F12");
    EXPECT_EQ(binding_text({Key::space, {}}), "Space");
    EXPECT_EQ(binding_text({Key::unknown, {}, '?'}), "?");
}

}  // namespace
}  // namespace tl::commands_tests
