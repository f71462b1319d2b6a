// Messages to the user: the status line shows the newest, a dialog shows errors, and stderr also
// receives warnings and errors.
#pragma once

#include <chrono>
#include <string>

namespace tl {

class Messages {
  public:
    enum class Level { info, warning, error };

    void info(const std::string& text) { say(Level::info, text); }
    void warning(const std::string& text) { say(Level::warning, text); }
    /// Also opens the error dialog under `title` ("Cannot open bunny.obj").
    void error(const std::string& title, const std::string& text);

    /// The newest message for some seconds (for an error, after its dialog is closed); else "".
    [[nodiscard]] const std::string& current() const;
    [[nodiscard]] Level level() const { return level_; }

    /// Contents of the error dialog; empty when it is closed.
    [[nodiscard]] const std::string& dialog_title() const { return dialog_title_; }
    [[nodiscard]] const std::string& dialog_text() const { return dialog_text_; }
    void close_dialog();

  private:
    void say(Level level, const std::string& text);

    Level level_ = Level::info;
    std::string text_, dialog_title_, dialog_text_;
    std::chrono::steady_clock::time_point said_;
};

}  // namespace tl
