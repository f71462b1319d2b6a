// Widths of blocks that `treelight tune` has measured as the fastest of this machine, in a file of
// the cache folder. Solvers take them where their settings leave the width open.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tl {

/// The fastest widths for a size of matrix.
struct TunedWidths {
    std::string device;                       ///< Device::name()
    std::string solver;                       ///< "lu" or "svd"
    std::size_t element_size = 8;             ///< bytes
    int n = 0;                                ///< rows and columns of the measured matrix
    int leaf = 0, block = 0;                  ///< columns; 0: the solver's own choice
    double seconds = 0, default_seconds = 0;  ///< medians with these widths, and without any
};

/// A table of widths.
class Tuning {
  public:
    /// The table of a file; empty where there is none. Throws UserError with the line of an error.
    [[nodiscard]] static Tuning read(const std::string& path);
    void write(const std::string& path) const;

    /// Adds rows, and removes all earlier ones of their devices.
    void replace(const std::vector<TunedWidths>& rows);
    /// The row whose size is the nearest by ratio, at most twofold; null: none was measured.
    [[nodiscard]] const TunedWidths* find(const std::string& device, const std::string& solver,
                                          std::size_t element_size, int n) const;
    [[nodiscard]] const std::vector<TunedWidths>& rows() const { return rows_; }

  private:
    std::vector<TunedWidths> rows_;
};

/// $XDG_CACHE_HOME/treelight/tuning.txt, else ~/.cache/treelight/tuning.txt.
[[nodiscard]] std::string tuning_file();

/// The table of that file as it was at the first call, or the one that use_tuning() has set. A
/// damaged file counts as none, with one warning. May be called from any thread.
[[nodiscard]] const Tuning& tuning_of_machine();

/// Sets the table that solvers use from now on. Not while any of them runs.
void use_tuning(Tuning tuning);

}  // namespace tl
