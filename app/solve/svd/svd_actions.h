// User actions on singular value decompositions, for keys, menus and the panel. Only
// luminance_of() throws.
#pragma once

#include "app/solve/svd/svd_view.h"

namespace tl {

/// Runs the decomposition chosen in the panel; shows a message if one is already running.
void start_svd(ViewerModel& model);
/// Runs the decomposition chosen in the panel, with another source.
void start_svd_of(ViewerModel& model, SvdSource source);
/// Runs the decomposition chosen in the panel, or cancels the running one.
void toggle_svd(ViewerModel& model);
/// Measures the errors of each value over matrices of the panel's kind, or cancels that.
void toggle_svd_errors(ViewerModel& model);
/// Copies the newest errors as CSV or as JSON to the clipboard.
void copy_svd_errors_csv(ViewerModel& model);
void copy_svd_errors_json(ViewerModel& model);
/// A note that a cancelled run cannot stop before its library call ends. "" if nothing runs, or if
/// the run stops at once.
[[nodiscard]] std::string cancel_note(const SvdView& view);
/// Requests the approximation of the decomposed frame of that rank, 1 to most_rank(); shows a
/// message if there is none.
void show_rank(ViewerModel& model, int rank);

/// The luminance of the displayed picture: sRGB's weights applied to the encoded values, in [0, 1].
/// Waits for the frame.
[[nodiscard]] HostMatrix<float> luminance_of(Session& session);

/// History as a table with the columns of Lahabar 2010, tables 3.1 to 3.3 (size, seconds of the
/// whole, of the bidiagonalisation and of the diagonalisation), and further columns.
[[nodiscard]] std::string history_csv(const SvdView& view);
/// History as JSON, with all values and stages.
[[nodiscard]] std::string history_json(const SvdView& view);
/// The outcome in one line, with the frame rates before, during and after the run.
[[nodiscard]] std::string summary_of(const SvdOutcome& outcome);

/// Seconds of the bidiagonalisation and of the diagonalisation of the bidiagonal matrix, vectors
/// included; negative if the mode does not report them.
struct SvdParts {
    double bidiagonalise = -1, diagonalise = -1;
};
[[nodiscard]] SvdParts parts_of(const SvdOutcome& outcome);

}  // namespace tl
