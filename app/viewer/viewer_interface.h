// Tables of the sections of the side panel, with their commands, flags and state. The program fills
// them and the viewer's loop iterates over them, so that the loop depends on no section.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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

/// A key that calls a command, identified by the symbol printed on it.
struct KeyBinding {
    Key key = Key::unknown;
    Modifiers modifiers;
    char character = 0;  ///< a typed character instead of a key, independent of the keyboard layout
};

/// An entry of a submenu whose contents change.
struct MenuEntry {
    std::string title, help;
    std::function<void(ViewerModel&)> action;
};

/// Title of the command that stays the last one of its menu.
inline constexpr const char* kQuit = "Quit";

/// A row of the table that defines keys, menus and the help overlay.
struct ViewerCommand {
    std::string title;                 ///< "Frame all"
    std::string help;                  ///< one sentence
    std::vector<KeyBinding> bindings;  ///< the first is shown in the menu; a submenu has none
    void (*action)(ViewerModel&);
    /// Current state of what the command changes ("on", "whitted"); null if there is none to show.
    std::string (*state)(const ViewerModel&) = nullptr;
    std::string menu{};  ///< File, Edit, View, Render, Tree, Solve or Help; add_menu() sets it
    /// Whether there is anything to do, else its menu entry is grey; null: always.
    bool (*available)(const ViewerModel&) = nullptr;
    /// Title shown in the menu ("Undo: max depth"); null: `title`.
    std::string (*label)(const ViewerModel&) = nullptr;
    std::string reason{};  ///< why the command is not available: "nothing moves in this scene"
    /// Whether the toggled option is on, which its menu entry marks; null: no toggle.
    bool (*checked)(const ViewerModel&) = nullptr;
    /// Entries of a submenu, which replace the action; null for none.
    std::vector<MenuEntry> (*entries)(const ViewerModel&) = nullptr;
};

/// Returns the command as a toggle.
[[nodiscard]] ViewerCommand toggle(ViewerCommand command, bool (*checked)(const ViewerModel&));
/// Returns the command with a condition of availability.
[[nodiscard]] ViewerCommand only_if(bool (*available)(const ViewerModel&), std::string reason,
                                    ViewerCommand command);
/// Runs the command or, if it is not available, shows the reason.
void run_command(const ViewerCommand& command, ViewerModel& model);

/// Appends commands to a table, as rows of this menu.
void add_menu(std::vector<ViewerCommand>& table, const char* menu,
              const std::vector<ViewerCommand>& commands);

/// State that a section keeps between frames, if it has flags or background work.
class SectionState {
  public:
    virtual ~SectionState() = default;
    /// Adds the section's flags to `view`; they are written into this object.
    virtual void add_flags(CLI::App&) {}
    /// Applies the flags for the device with this id, before a window opens. Throws UsageError.
    virtual void apply_flags(const std::string& /*device*/) {}
    /// Called between two frames, in the loop's thread. True if the interface must be redrawn.
    virtual bool poll(ViewerModel&) { return false; }
    /// True while work is in progress, so that the interface is redrawn continuously.
    [[nodiscard]] virtual bool active() const { return false; }
    /// True while a run of a fixed number of frames must wait for work that the flags requested.
    [[nodiscard]] virtual bool awaited() const { return false; }
    /// Names the files that the section is still writing, with the progress: "the sequence
    /// a_%04d.png (3 of 60 frames)"; "" for none. The viewer asks before it closes.
    [[nodiscard]] virtual std::string unfinished_file() const { return ""; }
    /// Called when the viewer closes: ends work that would leave files behind. Does not wait.
    virtual void close() {}
    /// Drops the results that the section keeps, and what displays them. Work in progress
    /// continues.
    virtual void forget() {}
    /// Text to print when the viewer ends; "" for none.
    [[nodiscard]] virtual std::string report() const { return ""; }

    /// A picture shown by the section. The loop uploads every new version to a texture.
    struct Preview {
        Image8 image;
        std::uint64_t version = 0;
        std::uintptr_t texture = 0;  ///< its GL name; 0 before the first upload
    };
    Preview preview;

    /// Lines in the scene's coordinates that the section draws over the picture, two ends each. The
    /// loop uploads every new version.
    struct Lines {
        std::vector<OverlayVertex> ends;
        std::uint64_t version = 0;
    };
    Lines lines;
};

/// A row of the table of sections of the side panel.
struct PanelSection {
    std::string id;     ///< "tree-quality"
    std::string title;  ///< "Tree quality"
    PanelTab tab;
    void (*draw)(ViewerModel&);
    /// False while the section has nothing to show; null: always shown.
    bool (*present)(const ViewerModel&) = nullptr;
    /// Commands in addition to the viewer's own; null for none.
    std::vector<ViewerCommand> (*commands)() = nullptr;
    std::unique_ptr<SectionState> (*make_state)() = nullptr;
    /// Additional words for which a search finds the section: the names of its widgets.
    std::string words{};
};

struct ViewerInterface {
    /// Draws the whole interface, between ImGui's NewFrame and Render; `scale` is its scale.
    void (*draw)(ViewerModel& model, float scale);
    std::vector<PanelSection> sections;
    std::vector<ViewerCommand> commands;  ///< the viewer's and the sections'
    std::vector<std::unique_ptr<SectionState>> states;
};

/// Fills the tables of one viewer from its sections.
[[nodiscard]] ViewerInterface make_interface(void (*draw)(ViewerModel& model, float scale),
                                             std::vector<PanelSection> sections);

}  // namespace tl
