// Messages to the user: the status line shows the newest, a dialog shows errors, and stderr also
// receives warnings and errors. The newest of all are kept for the message log.
#pragma once

#include <chrono>
#include <deque>
#include <exception>
#include <string>

#include "core/base/error.h"

namespace tl {

class Messages {
  public:
    enum class Level { info, warning, error };
    struct Entry {
        Level level = Level::info;
        std::string text;
        std::string path;                            ///< of the file that was written, or ""
        std::chrono::system_clock::time_point said;  ///< the last time
        int count = 1;                               ///< in succession
    };
    static constexpr std::size_t kKept = 500;

    void info(const std::string& text) { say(Level::info, text); }
    void warning(const std::string& text) { say(Level::warning, text); }
    /// Reports that a file was written: "wrote /home/u/a.png". `path`: absolute.
    void wrote(const std::string& verb, const std::string& path);
    /// Also opens the error dialog under `title` ("Cannot open bunny.obj").
    void error(const std::string& title, const std::string& text);

    /// The newest message for some seconds (for an error, after its dialog is closed); else "".
    [[nodiscard]] const std::string& current() const;
    [[nodiscard]] Level level() const { return level_; }
    /// Path of the file in the newest message, or "".
    [[nodiscard]] const std::string& path() const { return path_; }

    /// Contents of the error dialog; empty when it is closed.
    [[nodiscard]] const std::string& dialog_title() const { return dialog_title_; }
    [[nodiscard]] const std::string& dialog_text() const { return dialog_text_; }
    void close_dialog();

    /// Errors so far.
    [[nodiscard]] std::size_t n_errors() const { return n_errors_; }
    /// The newest messages, oldest first.
    [[nodiscard]] const std::deque<Entry>& log() const { return log_; }
    void clear_log() { log_.clear(); }
    /// "14:03:07 warning: ..." for each.
    [[nodiscard]] std::string log_text() const;

  private:
    void say(Level level, const std::string& text, const std::string& path = "");

    Level level_ = Level::info;
    std::string text_, path_, dialog_title_, dialog_text_;
    std::size_t n_errors_ = 0;
    std::chrono::steady_clock::time_point said_;
    std::deque<Entry> log_;
};

/// Runs `work`; an exception is shown as an error under `title`. Returns true on success.
template <class Work>
bool attempt(Messages& messages, const std::string& title, Work work) {
    try {
        work();
        return true;
    } catch (const std::exception& error) {
        messages.error(title, message_of(error));
        return false;
    }
}

/// "14:03:07", local time.
[[nodiscard]] std::string clock_text(std::chrono::system_clock::time_point time);
/// "message", "warning", "error".
[[nodiscard]] const char* name_of(Messages::Level level);

}  // namespace tl
