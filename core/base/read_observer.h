// Observer of the readers of files.
#pragma once

#include <string>

#include "core/base/read_log.h"
#include "core/base/read_progress.h"

namespace tl {

/// Receives reports of the readers of files. A default one receives none.
struct ReadObserver {
    ReadProgress progress{};  ///< of reading files and of work on their contents
    ReadLog* log = nullptr;   ///< log of the files that are read or searched for; null: none

    /// Logs a file that is about to be read or searched for.
    void note(const std::string& path) const {
        if (log) log->note(path);
    }
};

}  // namespace tl
