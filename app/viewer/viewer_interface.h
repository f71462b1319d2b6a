// What the viewer has around its picture: the sections of the side panel with their commands, flags
// and state. The viewer's loop walks these tables; the program fills them, so that the loop knows
// none of the sections.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/viewer/panel_tabs.h"
#include "app/viewer/window/input.h"
#include "renderer/images/image_io.h"

namespace CLI {
class App;
}

namespace tl {

struct ViewerModel;

/// A key that calls a command; by what is printed on the key.
struct KeyBinding {
    Key key = Key::unknown;
    Modifiers modifiers;
    char character = 0;  ///< instead of a key: a typed character, wherever it is on the keyboard
};

/// A row of the table that keys, menus and the help overlay are made from.
struct ViewerCommand {
    std::string id;                    ///< "frame-all"
    std::string menu;                  ///< menu it stands in: File, View, Render, Tree, Solve, Help
    std::string title;                 ///< "Frame all"
    std::string help;                  ///< one sentence
    std::vector<KeyBinding> bindings;  ///< the first is shown in the menu
    void (*action)(ViewerModel&);
    /// What it acts on is like now ("on", "whitted"); null where there is nothing to say.
    std::string (*state)(const ViewerModel&) = nullptr;
};

/// What a section keeps from frame to frame, where it has flags or work beside the frames.
class SectionState {
  public:
    virtual ~SectionState() = default;
    /// Adds the section's flags to `view`; they are written into this object.
    virtual void add_flags(CLI::App&) {}
    /// Takes what the flags say, before a window opens, for the device with this id. Throws
    /// UsageError.
    virtual void apply_flags(const std::string& /*device*/) {}
    /// Between two frames, in the loop's thread. True when there is something new to see.
    virtual bool follow(ViewerModel&) { return false; }
    /// Something is going on, so the interface is to be drawn again and again.
    [[nodiscard]] virtual bool active() const { return false; }
    /// The last frame of a run of a fixed number of frames waits for what the flags have asked for.
    [[nodiscard]] virtual bool awaited() const { return false; }
    /// What is printed when the viewer ends; "" for nothing.
    [[nodiscard]] virtual std::string report() const { return ""; }

    /// A picture that the section shows. The loop makes a texture of every new version.
    struct Preview {
        Image8 image;
        std::uint64_t version = 0;
        std::uintptr_t texture = 0;  ///< GL's name of it; 0 before the first
    };
    Preview preview;
};

/// A row of the table of sections of the side panel.
struct PanelSection {
    std::string id;     ///< "tree-quality"
    std::string title;  ///< "Tree quality"
    PanelTab tab;
    void (*draw)(ViewerModel&);
    /// False while it has nothing to show; null: it is always there.
    bool (*present)(const ViewerModel&) = nullptr;
    /// Commands beside those of the viewer itself; null for none.
    std::vector<ViewerCommand> (*commands)() = nullptr;
    std::unique_ptr<SectionState> (*make_state)() = nullptr;
};

struct ViewerInterface {
    /// Draws all of it, between ImGui's NewFrame and Render; `scale` is the interface scale.
    void (*draw)(ViewerModel& model, float scale);
    std::vector<PanelSection> sections;
    std::vector<ViewerCommand> commands;  ///< the viewer's and the sections'
    std::vector<std::unique_ptr<SectionState>> states;
};

/// Fills the tables of one viewer from its sections.
[[nodiscard]] ViewerInterface make_interface(void (*draw)(ViewerModel& model, float scale),
                                             std::vector<PanelSection> sections);

}  // namespace tl
