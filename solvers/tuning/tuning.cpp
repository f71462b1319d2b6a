#include "solvers/tuning/tuning.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>

#include "core/base/console.h"
#include "core/base/error.h"
#include "core/base/files.h"

namespace fs = std::filesystem;

namespace tl {
namespace {

constexpr const char* kHeader = "treelight tuning 1";

/// A row as it stands in the file: columns between tabs. False: it is none.
bool read_row(const std::string& line, TunedWidths& row) {
    std::istringstream text(line);
    if (!std::getline(text, row.device, '\t') || !std::getline(text, row.solver, '\t'))
        return false;
    text >> row.element_size >> row.n >> row.leaf >> row.block >> row.seconds >>
        row.default_seconds;
    constexpr int kMostWidth = 256;
    auto is_width = [](int width) { return width >= 0 && width <= kMostWidth; };
    return text && (text >> std::ws).eof() && (row.solver == "lu" || row.solver == "svd") &&
           (row.element_size == 4 || row.element_size == 8) && row.n > 0 && is_width(row.leaf) &&
           is_width(row.block);
}

}  // namespace

Tuning Tuning::read(const std::string& path) {
    Tuning tuning;
    std::ifstream file(path);
    if (!file) return tuning;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        TunedWidths row;
        bool is_good = number == 1 ? line == kHeader : read_row(line, row);
        if (!is_good)
            throw UserError(path + ":" + std::to_string(number) +
                            ": this is no line of `treelight tune`; remove the file, or run the "
                            "command again");
        if (number > 1) tuning.rows_.push_back(std::move(row));
    }
    return tuning;
}

void Tuning::write(const std::string& path) const {
    std::error_code ignored;  // FileWriter says what is wrong with the folder
    fs::create_directories(fs::path(path).parent_path(), ignored);
    std::ostringstream text;
    text << kHeader << '\n' << std::setprecision(6);
    for (auto& row : rows_)
        text << row.device << '\t' << row.solver << '\t' << row.element_size << '\t' << row.n
             << '\t' << row.leaf << '\t' << row.block << '\t' << row.seconds << '\t'
             << row.default_seconds << '\n';
    write_file(path, text.str());
}

void Tuning::replace(const std::vector<TunedWidths>& rows) {
    std::erase_if(rows_, [&](const TunedWidths& old) {
        return std::ranges::any_of(
            rows, [&](const TunedWidths& row) { return row.device == old.device; });
    });
    rows_.insert(rows_.end(), rows.begin(), rows.end());
}

const TunedWidths* Tuning::find(const std::string& device, const std::string& solver,
                                std::size_t element_size, int n) const {
    const TunedWidths* best = nullptr;
    double least = 2;
    for (auto& row : rows_) {
        if (row.device != device || row.solver != solver || row.element_size != element_size)
            continue;
        double ratio = double(std::max(row.n, n)) / std::max(std::min(row.n, n), 1);
        if (ratio <= least) {
            least = ratio;
            best = &row;
        }
    }
    return best;
}

std::string tuning_file() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    fs::path folder =
        cache && *cache == '/' ? fs::path(cache) : fs::path(home && *home ? home : ".") / ".cache";
    return (folder / "treelight" / "tuning.txt").string();
}

/// The table that solvers use.
static Tuning& table_in_use() {
    static Tuning tuning = [] {
        try {
            return Tuning::read(tuning_file());
        } catch (const UserError& error) {
            print_warning(error.what());
            return Tuning();
        }
    }();
    return tuning;
}

const Tuning& tuning_of_machine() {
    return table_in_use();
}

void use_tuning(Tuning tuning) {
    table_in_use() = std::move(tuning);
}

}  // namespace tl
