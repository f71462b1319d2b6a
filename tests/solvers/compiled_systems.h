// Surroundings of solvers that tests compile: a cache and an environment of their own.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/files.h"

namespace tl::test {

/// A variable of the environment that has another value for the time of a test.
class ChangedVariable {
  public:
    ChangedVariable(const char* name, const std::string& value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        setenv(name, value.c_str(), 1);
    }
    ~ChangedVariable() {
        if (before_)
            setenv(name_, before_->c_str(), 1);
        else
            unsetenv(name_);
    }
    ChangedVariable(const ChangedVariable&) = delete;
    ChangedVariable& operator=(const ChangedVariable&) = delete;

  private:
    const char* name_;
    std::optional<std::string> before_;
};

/// A cache of compiled solvers that is removed in the end.
class TemporaryCache {
  public:
    TemporaryCache() : path_(make_folder()), variable_("XDG_CACHE_HOME", path_) {}
    ~TemporaryCache() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryCache(const TemporaryCache&) = delete;
    TemporaryCache& operator=(const TemporaryCache&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    static std::string make_folder() {
        auto path = testing::TempDir() + "treelight-solvers-XXXXXX";
        EXPECT_NE(mkdtemp(path.data()), nullptr);
        return path;
    }
    std::string path_;
    ChangedVariable variable_;
};

/// A script that stands in for a compiler.
inline std::string compiler_script(const TemporaryCache& cache, const std::string& commands) {
    auto path = cache.path() + "/compiler";
    write_file(path, "#!/bin/sh\n" + commands + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
}

}  // namespace tl::test
