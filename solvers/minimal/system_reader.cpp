#include <cctype>
#include <charconv>
#include <set>

#include "core/base/error.h"
#include "core/base/one_line.h"
#include "core/base/text.h"
#include "solvers/minimal/polynomial_matrix.h"

namespace tl::minimal {
namespace {

constexpr int kMostRows = 16;
constexpr std::size_t kMostEquations = 200;
constexpr int kDeepest = 100;  // parentheses in one another
constexpr std::size_t kLongestName = 60;
constexpr std::int64_t kLargestScale = 1'000'000;  // of an unknown in the action variable

using Matrix = PolynomialMatrix;

/// Reads the lines of a file one by one.
class SystemReader {
  public:
    explicit SystemReader(std::string file) : file_(std::move(file)) {}

    PolynomialSystem read(const std::string& text, const std::string& action) {
        system_.source = text;
        std::size_t begin = 0;
        while (begin < text.size()) {
            std::size_t end = std::min(text.find('\n', begin), text.size());
            ++line_number_;
            auto line = std::string_view(text).substr(begin, end - begin);
            read_from(line.substr(0, line.find('#')), &SystemReader::read_line);
            begin = end + 1;
        }
        if (system_.name.empty()) fail_whole("names no system; begin with 'system NAME'");
        if (system_.unknowns.empty()) fail_whole("has no unknowns; write 'unknowns x y z'");
        if (system_.equations.size() < system_.unknowns.size())
            fail_whole("has " + std::to_string(system_.equations.size()) + " equations for " +
                       std::to_string(system_.unknowns.size()) +
                       " unknowns, so that its solutions are not single points");
        finish_measurement();
        if (!action.empty()) {
            file_ = "action variable '" + escaped(action) + "'";
            line_number_ = 0;
            read_from(action, &SystemReader::read_action);
        }
        if (!system_.action.empty()) system_.action.resize(system_.unknowns.size());
        return std::move(system_);
    }

  private:
    void read_from(std::string_view line, void (SystemReader::*read)()) {
        line_ = line;
        at_ = 0;
        depth_ = 0;
        try {
            (this->*read)();
            if (!at_end()) fail(concatenated({"'", rest(), "' is left at the end of the line"}));
        } catch (const UserError& error) {
            std::string what = error.what();
            if (what.starts_with(place())) throw;
            fail(what);
        }
    }
    /// Where messages say that a fault is.
    [[nodiscard]] std::string place() const {
        return line_number_ > 0 ? file_ + ":" + std::to_string(line_number_) + ": " : file_ + ": ";
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw UserError(place() + escaped(what));
    }
    [[noreturn]] void fail_whole(const std::string& what) const {
        throw UserError(file_ + ": " + what);
    }

    // Characters.
    void skip_spaces() {
        while (at_ < line_.size() && std::isspace(static_cast<unsigned char>(line_[at_]))) ++at_;
    }
    [[nodiscard]] bool at_end() {
        skip_spaces();
        return at_ == line_.size();
    }
    [[nodiscard]] char next() {
        skip_spaces();
        return at_ < line_.size() ? line_[at_] : '\0';
    }
    bool take(char c) {
        if (next() != c) return false;
        ++at_;
        return true;
    }
    void want(char c) {
        if (!take(c)) fail(std::string("'") + c + "' is missing before '" + rest() + "'");
    }
    [[nodiscard]] std::string rest() {
        skip_spaces();
        return std::string(line_.substr(at_, 20));
    }
    /// A name: letters, digits and underscores; "" where none begins.
    std::string take_name(const char* also = "_") {
        skip_spaces();
        std::size_t begin = at_;
        auto fits = [&](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) ||
                   std::string_view(also).find(c) != std::string_view::npos;
        };
        if (at_ < line_.size() && std::isdigit(static_cast<unsigned char>(line_[at_]))) return "";
        while (at_ < line_.size() && fits(line_[at_])) ++at_;
        if (at_ - begin > kLongestName)
            fail("a name has more than " + std::to_string(kLongestName) + " characters");
        return std::string(line_.substr(begin, at_ - begin));
    }
    int take_count(int least, int most) {
        skip_spaces();
        int value = -1;
        auto [end, fault] = std::from_chars(line_.data() + at_, line_.data() + line_.size(), value);
        if (fault != std::errc() || value < least || value > most)
            fail(concatenated({"'", rest(), "' is no whole number from ", std::to_string(least),
                               " to ", std::to_string(most)}));
        at_ = static_cast<std::size_t>(end - line_.data());
        return value;
    }

    // Lines.
    void read_line() {
        if (at_end()) return;
        std::string word = take_name();
        if (word == "system")
            read_system_name();
        else if (word == "unknowns")
            read_unknowns();
        else if (word == "parameters")
            read_parameters();
        else if (word == "action")
            read_action();
        else if (word == "let")
            read_let();
        else if (word == "equations")
            read_equations();
        else if (word == "measurement")
            read_measurement();
        else if (word == "residual" || word == "distance")
            read_errors(word == "distance");
        else if (word == "positive")
            read_positives();
        else
            fail(
                "a line begins with system, unknowns, parameters, action, let, equations, "
                "measurement, residual, distance or positive, not '" +
                word + rest() + "'");
    }

    /// Reads a name that is not yet in use.
    std::string new_name(const char* also = "") {
        std::string name = take_name((std::string("_") + also).c_str());
        if (name.empty()) fail("a name is missing before '" + rest() + "'");
        if (known_.contains(name) || functions().contains(name))
            fail("'" + name + "' is taken; choose another name");
        return name;
    }

    void read_system_name() {
        system_.name = new_name("-");
        if (!std::isalpha(static_cast<unsigned char>(system_.name[0])))
            fail("the name '" + system_.name + "' of the system does not begin with a letter");
    }

    void read_unknowns() {
        while (!at_end()) {
            std::string name = new_name();
            if (system_.unknowns.size() == Monomial::kMostUnknowns)
                fail("more than " + std::to_string(Monomial::kMostUnknowns) + " unknowns");
            Matrix value;
            value.elements[0][Monomial::unknown(static_cast<int>(system_.unknowns.size()))] =
                CoefficientPool::constant(Rational(1));
            known_[name] = value;
            system_.unknowns.push_back(name);
        }
    }

    void read_parameters() {
        if (!system_.measured.columns.empty())
            fail("parameters come before the line measurement; exchange the lines");
        while (!at_end()) {
            Parameter parameter{.name = new_name()};
            if (take('[')) {
                parameter.rows = take_count(1, kMostRows);
                want(']');
                if (take('[')) {
                    parameter.columns = take_count(1, kMostRows);
                    want(']');
                }
            }
            parameter.first = system_.n_parameters;
            Matrix value(parameter.rows, parameter.columns);
            for (auto& element : value.elements)
                element[Monomial()] = CoefficientPool::parameter(system_.n_parameters++);
            algebra_.count(value);
            known_[parameter.name] = value;
            system_.parameters.push_back(parameter);
        }
    }

    /// Reads a combination of the unknowns with integers: "x", "x + 2*y".
    void read_action() {
        if (at_end()) fail("an action variable is missing; write 'action x', or 'action x + 2*y'");
        Matrix value = sum();
        LinearForm form(system_.unknowns.size());
        bool fits = value.is_number() && !value.elements[0].empty();
        if (fits)
            for (auto& [monomial, scale] : value.elements[0])
                fits = fits && put_scale(monomial, scale, form);
        if (!fits)
            fail("the action is no sum of unknowns times whole numbers from " +
                 std::to_string(-kLargestScale) + " to " + std::to_string(kLargestScale));
        system_.action = form;
    }
    static bool put_scale(const Monomial& monomial, const Sum& scale, LinearForm& form) {
        auto& number = scale.front().scale;
        if (monomial.degree() != 1 || scale.size() != 1 || scale.front().a != kNone ||
            scale.front().b != kNone || number.bottom() != 1 ||
            std::abs(number.top()) > kLargestScale)
            return false;
        int unknown = 0;
        while (monomial.power(unknown) == 0) ++unknown;
        form[static_cast<std::size_t>(unknown)] = static_cast<int>(number.top());
        return true;
    }

    void read_let() {
        std::string name = new_name();
        want('=');
        known_[name] = sum();
    }

    /// Reads an equation: each element of its expression is zero.
    void read_equations() {
        if (!system_.measured.columns.empty())
            fail(
                "equations come before the line measurement, whose columns they cannot have; "
                "exchange the lines");
        Matrix value = sum();
        for (auto& element : value.elements) {
            if (element.empty()) fail("an equation is 0 = 0");
            if (element.begin()->first.degree() == 0)
                fail("an equation has no unknown, so that it has no solution or is no equation");
            if (system_.equations.size() == kMostEquations)
                fail("more than " + std::to_string(kMostEquations) + " equations");
            system_.equations.push_back(element);
        }
    }

    // Lines for RANSAC.
    void read_measurement() {
        auto& columns = system_.measured.columns;
        if (!columns.empty()) fail("a second line measurement; name all columns in one");
        if (at_end()) fail("columns are missing; write 'measurement x y'");
        while (!at_end()) {
            if (columns.size() == kMostRows)
                fail("more than " + std::to_string(kMostRows) + " columns");
            Matrix value;
            columns.push_back(new_name());
            value.elements[0][Monomial()] = CoefficientPool::parameter(
                system_.n_parameters + static_cast<int>(columns.size()) - 1);
            known_[columns.back()] = value;
        }
    }

    /// Reads the expression of a line, whose elements have unknowns, and no parameters or columns
    /// from `first` on and before `end`.
    Matrix test_of_model(const char* line, const char* example, Factor first, Factor end) {
        if (system_.measured.columns.empty())
            fail(std::string("a line ") + line + " before 'measurement x y', the columns' names");
        if (at_end()) fail(std::string("an expression is missing; write '") + example + "'");
        Matrix value = sum();
        for (auto& element : value.elements) {
            if (auto name = system_.used_name(element, first, end); !name.empty())
                fail(concatenated({"a line ", line, " has '", name, "'; write it with ",
                                   end == kFirstSum ? "the unknowns alone"
                                                    : "the unknowns and the columns alone"}));
            if (element.empty() || element.begin()->first.degree() == 0)
                fail(std::string("a line ") + line + " has an element without unknowns");
        }
        return value;
    }

    void read_errors(bool is_distance) {
        auto value =
            is_distance
                ? test_of_model("distance", "distance x^2 + y^2 - r", 0, system_.n_parameters)
                : test_of_model("residual", "residual y - a*x - b", 0, system_.n_parameters);
        for (auto& element : value.elements) {
            if (is_distance && system_.used_name(element, system_.n_parameters, kFirstSum).empty())
                fail("a line distance has an element without columns, whose gradient is 0");
            if (system_.measured.errors.size() == kMostRows)
                fail("more than " + std::to_string(kMostRows) + " residuals and distances");
            system_.measured.errors.push_back({element, is_distance});
        }
    }

    void read_positives() {
        auto value = test_of_model("positive", "positive r", 0, kFirstSum);
        for (auto& element : value.elements) {
            if (system_.measured.positives.size() == kMostRows)
                fail("more than " + std::to_string(kMostRows) + " positive polynomials");
            system_.measured.positives.push_back(element);
        }
    }

    void finish_measurement() {
        if (system_.measured.columns.empty()) return;
        if (system_.measured.errors.empty())
            fail_whole(
                "has measurements, but no error of one; write 'residual EXPRESSION' or "
                "'distance EXPRESSION'");
        try {
            find_sample(system_);
        } catch (const UserError& error) {
            fail_whole(error.what());
        }
    }

    // Expressions.
    Matrix sum() {
        if (++depth_ > kDeepest) fail("more than 100 parentheses in one another");
        Matrix value = product();
        while (next() == '+' || next() == '-') {
            bool minus = line_[at_++] == '-';
            value = algebra_.added(value, product(), minus ? Rational(-1) : Rational(1));
        }
        --depth_;
        return value;
    }

    Matrix product() {
        Matrix value = signed_power();
        for (;;) {
            if (take('*')) {
                value = algebra_.multiplied(value, signed_power());
            } else if (take('/')) {
                value = algebra_.divided(value, signed_power());
            } else {
                return value;
            }
        }
    }

    Matrix signed_power() {
        if (take('-')) {
            if (++depth_ > kDeepest) fail("more than 100 signs in a row");
            Matrix value = algebra_.scaled(signed_power(), Rational(-1));
            --depth_;
            return value;
        }
        Matrix base = element();
        if (!take('^')) return base;
        return algebra_.power(base, take_count(1, PolynomialAlgebra::kMostDegree));
    }

    /// Reads an operand with its suffixes, transposition and indices.
    Matrix element() {
        Matrix value = primary();
        for (;;) {
            if (take('\'')) {
                value = algebra_.transposed(value);
            } else if (take('[')) {
                int row = take_count(0, value.rows - 1);
                want(']');
                Matrix part(1, value.columns);
                if (take('[')) {
                    part = Matrix();
                    part.elements[0] = value.at(row, take_count(0, value.columns - 1));
                    want(']');
                } else if (value.columns == 1) {
                    part.elements[0] = value.at(row, 0);
                } else {
                    for (int j = 0; j < value.columns; ++j) part.at(0, j) = value.at(row, j);
                }
                value = part;
            } else {
                return value;
            }
        }
    }

    Matrix primary() {
        if (take('(')) {
            Matrix value = sum();
            want(')');
            return value;
        }
        if (std::isdigit(static_cast<unsigned char>(next()))) return number();
        std::string name = take_name();
        if (name.empty()) fail("a number, a name or '(' is missing before '" + rest() + "'");
        if (functions().contains(name)) return function(name);
        auto known = known_.find(name);
        if (known == known_.end())
            fail("'" + name + "' is not known; it wants a line unknowns, parameters or let before");
        algebra_.count(known->second);
        return known->second;
    }

    Matrix number() {
        std::int64_t top = 0, bottom = 1;
        bool has_point = false;
        for (int n_digits = 0; at_ < line_.size(); ++at_) {
            char c = line_[at_];
            if (c == '.' && !has_point) {
                has_point = true;
                continue;
            }
            if (!std::isdigit(static_cast<unsigned char>(c))) break;
            if (++n_digits > 15) fail("a number has more than 15 digits");
            top = 10 * top + (c - '0');
            if (has_point) bottom *= 10;
        }
        Matrix value;
        if (top != 0) value.elements[0][Monomial()] = CoefficientPool::constant({top, bottom});
        algebra_.count(value);
        return value;
    }

    static const std::set<std::string>& functions() {
        static const std::set<std::string> names = {"det", "trace", "identity", "diag", "cross"};
        return names;
    }

    Matrix function(const std::string& name) {
        want('(');
        if (name == "identity") {
            int n = take_count(1, kMostRows);
            want(')');
            return algebra_.identity(n);
        }
        std::vector<Matrix> arguments;
        do arguments.push_back(sum());
        while (take(','));
        want(')');
        if (name == "diag") {
            if (arguments.size() > kMostRows) fail("diag of more than 16 numbers");
            return algebra_.diagonal(arguments);
        }
        if (name == "cross") return algebra_.cross(arguments);
        if (arguments.size() != 1) fail(name + " takes one square matrix");
        return name == "trace" ? algebra_.trace(arguments[0]) : algebra_.determinant(arguments[0]);
    }

    std::string file_;
    PolynomialSystem system_;
    PolynomialAlgebra algebra_{system_.pool};
    std::map<std::string, Matrix> known_;
    std::string_view line_;
    int line_number_ = 0;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

PolynomialSystem read_system(const std::string& text, const std::string& file,
                             const std::string& action) {
    return SystemReader(file).read(text, action);
}

}  // namespace tl::minimal
