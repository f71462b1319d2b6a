// Tables of the viewer's commands and of the sections of the side panel, with their flags and
// state. The program fills the tables and the viewer's loop iterates over them, so that the loop
// depends on no section.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/viewer/gl/overlay_vertex.h"
#include "app/viewer/panel_tabs.h"
#include "app/viewer/window/input.h"
#include "renderer/images/image_io.h"

namespace CLI {
class App;
}

namespace tl {

struct ViewerModel;

/// A key with modifiers, or a typed character, that calls a command.
struct KeyBinding {
    Key key = Key::unknown;  ///< by the symbol printed on it (KeyEvent::symbol)
    Modifiers modifiers;     ///< exactly these must be held
    /// Typed character (TextEvent), by whichever keys a keyboard layout produces it. If not 0, it
    /// replaces `key` and `modifiers`.
    char character = 0;
};

/// A part of a texture that is shown beside an entry of a menu.
struct MenuPicture {
    std::uintptr_t texture = 0;  ///< its GL name; 0: not there yet
    vec2 from{0}, to{1};         ///< upper left and lower right corner, in texture coordinates
};

/// An entry of a submenu whose contents change.
struct MenuEntry {
    std::string title, help;
    std::function<void(ViewerModel&)> action;  ///< called when the entry is chosen
    bool checked = false;                      ///< it is what is in use
    std::optional<MenuPicture> picture{};      ///< thumbnail
};

/// Title of the command that stays the last one of its menu when sections add theirs.
inline constexpr const char* kQuit = "Quit";

/// A row of the table that defines keys, menus and the help overlay.
struct ViewerCommand {
    std::string title;                 ///< "Frame all"
    std::string help;                  ///< one sentence with a period
    std::vector<KeyBinding> bindings;  ///< the first is shown in the menu; a submenu has none
    void (*action)(ViewerModel&);      ///< null for a submenu
    /// Returns the current state of the thing that the command changes ("on", "whitted"). Null if
    /// there is none to show.
    std::string (*state)(const ViewerModel&) = nullptr;
    std::string menu{};  ///< title of its menu, such as "File"; add_menu() sets it
    /// Returns whether there is anything to do; else the menu entry is grey. Null: always.
    bool (*available)(const ViewerModel&) = nullptr;
    /// Returns the title shown in the menu ("Undo: max depth"). Null: `title`.
    std::string (*label)(const ViewerModel&) = nullptr;
    /// Why the command is not available, or why the submenu is empty, without a period: "nothing
    /// moves in this scene".
    std::string reason{};
    /// Returns whether the toggled option is on, which the menu entry marks. Null: no toggle.
    bool (*checked)(const ViewerModel&) = nullptr;
    /// Makes the command a submenu: returns its entries, whose actions replace `action`. Null for
    /// an ordinary command. While there are no entries, the submenu is grey.
    std::vector<MenuEntry> (*entries)(const ViewerModel&) = nullptr;
    std::string submenu{};   ///< title of the submenu in which the menu shows it; "": in none
    bool separated = false;  ///< a line stands above it in its menu
};

/// Returns the command as a toggle, with this ViewerCommand::checked.
[[nodiscard]] ViewerCommand toggle(ViewerCommand command, bool (*checked)(const ViewerModel&));
/// Returns the command with a condition of availability and the reason to show if it is false.
[[nodiscard]] ViewerCommand only_if(bool (*available)(const ViewerModel&), std::string reason,
                                    ViewerCommand command);
/// Returns the command with a line above it.
[[nodiscard]] ViewerCommand below_line(ViewerCommand command);
/// Returns the commands as the contents of one submenu.
[[nodiscard]] std::vector<ViewerCommand> within_submenu(const std::string& title,
                                                        std::vector<ViewerCommand> commands);
/// Runs the command or, if it is not available, shows the reason. The command is no submenu.
void run_command(const ViewerCommand& command, ViewerModel& model);

/// Appends commands to a table, as rows of the menu of this title.
void add_menu(std::vector<ViewerCommand>& table, const char* menu,
              const std::vector<ViewerCommand>& commands);

/// State that a section keeps between frames. Sections without flags or background work need none.
class SectionState {
  public:
    virtual ~SectionState() = default;
    /// Adds the section's flags to the command that starts the viewer. Parsing writes their values
    /// into this object, which must outlive the parsing.
    virtual void add_flags(CLI::App&) {}
    /// Applies the parsed flags, before a window opens. `device`: id of the session's device.
    /// Throws UsageError if they are not valid.
    virtual void apply_flags(const std::string& /*device*/) {}
    /// Takes results of background work. Called between two frames, in the loop's thread. Returns
    /// whether the interface must be redrawn.
    virtual bool poll(ViewerModel&) { return false; }
    /// Whether work is in progress; the interface is then redrawn continuously.
    [[nodiscard]] virtual bool active() const { return false; }
    /// Whether a run of a fixed number of frames must wait for work that the flags requested.
    [[nodiscard]] virtual bool awaited() const { return false; }
    /// Names the output that the section is still writing, one file or one sequence, with its
    /// progress: "the sequence a_%04d.png (3 of 60 frames)". "" for none. The viewer asks before it
    /// closes.
    [[nodiscard]] virtual std::string unfinished_file() const { return ""; }
    /// Ends work that would leave incomplete files behind. Called when the viewer closes. Does not
    /// wait.
    virtual void close() {}
    /// Drops the results that the section keeps, and all that displays them, to free their memory.
    /// Work in progress continues.
    virtual void forget() {}
    /// Returns the text to print when the viewer ends; "" for none.
    [[nodiscard]] virtual std::string report() const { return ""; }

    /// A picture shown by the section. The loop uploads every new version to a texture.
    struct Preview {
        Image8 image;
        std::uint64_t version = 0;   ///< the section increases it with each change of `image`
        std::uintptr_t texture = 0;  ///< its GL name; 0 before the first upload
    };
    Preview preview;

    /// Lines in the scene's coordinates that the section draws over the picture, two ends each. The
    /// loop uploads every new version.
    struct Lines {
        std::vector<OverlayVertex> ends;
        std::uint64_t version = 0;  ///< the section increases it with each change of `ends`
    };
    Lines lines;
};

/// A widget of a section that the search shows alone.
struct PanelWidget {
    const char* label;           ///< "Max samples"
    void (*draw)(ViewerModel&);  ///< draws the widget, as the section does
    /// Returns whether the section has the widget now. Null: always.
    bool (*present)(const ViewerModel&) = nullptr;
};

/// A row of the table of sections of the side panel.
struct PanelSection {
    std::string id;     ///< "tree-quality"
    std::string title;  ///< "Tree quality"
    PanelTab tab;
    void (*draw)(ViewerModel&);  ///< draws the section's widgets
    /// Returns whether the section has anything to show. Null: always shown.
    bool (*present)(const ViewerModel&) = nullptr;
    /// Returns commands in addition to the viewer's own. Null: none.
    std::vector<ViewerCommand> (*commands)() = nullptr;
    /// Makes the state of the section. Null: it has none.
    std::unique_ptr<SectionState> (*make_state)() = nullptr;
    /// Words besides id and title by which a search finds the section, separated by spaces: the
    /// names of its widgets.
    std::string words{};
    std::vector<PanelWidget> widgets{};  ///< those of the section that the search finds one by one
};

/// All tables of one viewer, and the function that draws them.
struct ViewerInterface {
    /// Draws the whole interface, between ImGui's NewFrame and Render. `scale`: scale of texts and
    /// widgets.
    void (*draw)(ViewerModel& model, float scale);
    std::vector<PanelSection> sections;
    std::vector<ViewerCommand> commands;                ///< the viewer's and the sections'
    std::vector<std::unique_ptr<SectionState>> states;  ///< of the sections that have one
};

/// Makes the tables of one viewer: its own commands, and the commands and states of its sections.
[[nodiscard]] ViewerInterface make_interface(void (*draw)(ViewerModel& model, float scale),
                                             std::vector<PanelSection> sections);

}  // namespace tl
