// A temporary folder for the files of one test, and helpers that check error messages.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace tl::test {

/// Created empty; removed with its contents.
class TempFolder {
  public:
    TempFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "treelight-XXXXXX").string();
        if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    ~TempFolder() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    [[nodiscard]] std::string path(const std::string& name) const {
        return (path_ / name).string();
    }

    /// Writes a file, creating missing parent folders; returns its path.
    std::string write(const std::string& name, std::string_view bytes) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name, std::ios::binary) << bytes;
        return path(name);
    }

  private:
    std::filesystem::path path_;
};

/// Sets an environment variable and restores it in the destructor.
class Environment {
  public:
    Environment(const char* name, const std::string& value) : name_(name) {
        if (auto* old = std::getenv(name)) old_ = old;
        setenv(name, value.c_str(), 1);
    }
    ~Environment() { old_.empty() ? unsetenv(name_) : setenv(name_, old_.c_str(), 1); }

  private:
    const char* name_;
    std::string old_;
};

/// The message of the UserError that `action` throws; "" if it throws none.
template <class Action>
std::string refusal(Action action) {
    try {
        action();
    } catch (const UserError& error) {
        return error.what();
    }
    return {};
}

/// Expects that `text` contains `part`.
#define TL_EXPECT_CONTAINS(text, part)                         \
    EXPECT_NE(std::string(text).find(part), std::string::npos) \
        << "in: " << (text) << "\nno: " << (part)

/// Truncates `bytes` at every `step`-th byte and at each of the last bytes; expects that `read`
/// accepts each prefix or throws a UserError that names the file. Returns the number accepted.
template <class Read>
int read_truncated(const TempFolder& folder, const std::string& name, const std::string& bytes,
                   std::size_t step, Read read) {
    int taken = 0;
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        if (length % step != 0 && length + 8 < bytes.size()) continue;
        std::string path = folder.write(name, std::string_view(bytes).substr(0, length));
        std::string message = refusal([&] {
            read(path);
            ++taken;
        });
        if (!message.empty()) {
            TL_EXPECT_CONTAINS(message, name);
        }
    }
    return taken;
}

}  // namespace tl::test
