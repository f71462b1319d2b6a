#include <cctype>
#include <charconv>
#include <set>

#include "accel/parallel/error.h"
#include "accel/parallel/text.h"
#include "solvers/minimal/polynomial_system.h"

namespace tl::minimal {
namespace {

constexpr int kMostRows = 16;
constexpr int kMostDegree = 20;
constexpr std::size_t kMostTerms = 20'000;  // of a polynomial
constexpr int kDeepest = 100;               // parentheses in one another

/// What an expression is: a matrix of polynomials, a number being one of 1 x 1.
struct Matrix {
    int rows = 1, columns = 1;
    std::vector<Polynomial> elements = std::vector<Polynomial>(1);

    Matrix() = default;
    Matrix(int n_rows, int n_columns)
        : rows(n_rows),
          columns(n_columns),
          elements(static_cast<std::size_t>(n_rows) * static_cast<std::size_t>(n_columns)) {}
    [[nodiscard]] bool is_number() const { return rows == 1 && columns == 1; }
    [[nodiscard]] std::string shape() const {
        return std::to_string(rows) + " x " + std::to_string(columns);
    }
    Polynomial& at(int row, int column) {
        return elements[static_cast<std::size_t>(row * columns + column)];
    }
    [[nodiscard]] const Polynomial& at(int row, int column) const {
        return elements[static_cast<std::size_t>(row * columns + column)];
    }
};

/// Reads the lines of a file one by one.
class SystemReader {
  public:
    explicit SystemReader(std::string file) : file_(std::move(file)) {}

    PolynomialSystem read(const std::string& text) {
        system_.source = text;
        std::size_t begin = 0;
        while (begin < text.size()) {
            std::size_t end = std::min(text.find('\n', begin), text.size());
            ++line_number_;
            line_ = std::string_view(text).substr(begin, end - begin);
            line_ = line_.substr(0, line_.find('#'));
            at_ = 0;
            depth_ = 0;
            try {
                read_line();
            } catch (const UserError& error) {
                std::string what = error.what();
                if (what.starts_with(file_ + ":")) throw;
                fail(what);
            }
            begin = end + 1;
        }
        if (system_.name.empty()) fail_whole("names no system; begin with 'system NAME'");
        if (system_.unknowns.empty()) fail_whole("has no unknowns; write 'unknowns x y z'");
        if (system_.equations.size() < system_.unknowns.size())
            fail_whole("has " + std::to_string(system_.equations.size()) + " equations for " +
                       std::to_string(system_.unknowns.size()) +
                       " unknowns, so that its solutions are not single points");
        return std::move(system_);
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw UserError(file_ + ":" + std::to_string(line_number_) + ": " + what);
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
        return std::string(line_.substr(begin, at_ - begin));
    }
    int take_count(int least, int most) {
        skip_spaces();
        int value = -1;
        auto [end, fault] = std::from_chars(line_.data() + at_, line_.data() + line_.size(), value);
        if (fault != std::errc() || value < least || value > most)
            fail("'" + rest() + "' is no whole number from " + std::to_string(least) + " to " +
                 std::to_string(most));
        at_ = static_cast<std::size_t>(end - line_.data());
        return value;
    }

    // Lines.
    void read_line() {
        if (at_end()) return;
        std::string word = take_name();
        if (word == "system")
            system_.name = new_name("-");
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
        else
            fail(
                "a line begins with system, unknowns, parameters, action, let or equations, not '" +
                word + rest() + "'");
        if (!at_end()) fail("'" + rest() + "' is left at the end of the line");
    }

    /// A name that nothing has yet.
    std::string new_name(const char* also = "") {
        std::string name = take_name((std::string("_") + also).c_str());
        if (name.empty()) fail("a name is missing before '" + rest() + "'");
        if (known_.contains(name) || functions().contains(name))
            fail("'" + name + "' is taken; choose another name");
        return name;
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
            known_[parameter.name] = value;
            system_.parameters.push_back(parameter);
        }
    }

    void read_action() {
        std::string name = take_name();
        for (std::size_t i = 0; i < system_.unknowns.size(); ++i)
            if (system_.unknowns[i] == name) system_.action = static_cast<int>(i);
        if (system_.action < 0) fail("'" + name + "' is no unknown");
    }

    void read_let() {
        std::string name = new_name();
        want('=');
        known_[name] = sum();
    }

    /// Each element of the expression is zero.
    void read_equations() {
        Matrix value = sum();
        for (auto& element : value.elements) {
            if (element.empty()) fail("an equation is 0 = 0");
            if (element.begin()->first.degree() == 0)
                fail("an equation has no unknown, so that it has no solution or is no equation");
            system_.equations.push_back(element);
        }
    }

    // Expressions.
    Matrix sum() {
        if (++depth_ > kDeepest) fail("more than 100 parentheses in one another");
        Matrix value = product();
        while (next() == '+' || next() == '-') {
            bool minus = line_[at_++] == '-';
            value = added(value, product(), minus ? Rational(-1) : Rational(1));
        }
        --depth_;
        return value;
    }

    Matrix product() {
        Matrix value = signed_power();
        for (;;) {
            if (take('*')) {
                value = multiplied(value, signed_power());
            } else if (take('/')) {
                Matrix by = signed_power();
                const Sum* number = constant_of(by);
                if (!number || number->front().b != kNone) fail("only numbers can be divided by");
                auto& scale = number->front().scale;
                value = scaled(value, CoefficientPool::constant({scale.bottom(), scale.top()}));
            } else {
                return value;
            }
        }
    }

    Matrix signed_power() {
        if (take('-')) {
            if (++depth_ > kDeepest) fail("more than 100 signs in a row");
            Matrix value = scaled(signed_power(), CoefficientPool::constant(Rational(-1)));
            --depth_;
            return value;
        }
        Matrix base = element();
        if (!take('^')) return base;
        int exponent = take_count(1, kMostDegree);
        Matrix value = base;
        for (int i = 1; i < exponent; ++i) value = multiplied(value, base);
        return value;
    }

    /// Something with what may follow it: transposition and indices.
    Matrix element() {
        Matrix value = primary();
        for (;;) {
            if (take('\'')) {
                Matrix turned(value.columns, value.rows);
                for (int i = 0; i < value.rows; ++i)
                    for (int j = 0; j < value.columns; ++j) turned.at(j, i) = value.at(i, j);
                value = turned;
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
            Matrix value(n, n);
            for (int i = 0; i < n; ++i)
                value.at(i, i)[Monomial()] = CoefficientPool::constant(Rational(1));
            return value;
        }
        std::vector<Matrix> arguments;
        do arguments.push_back(sum());
        while (take(','));
        want(')');
        if (name == "diag") {
            int n = static_cast<int>(arguments.size());
            if (n > kMostRows) fail("diag of more than 16 numbers");
            Matrix value(n, n);
            for (int i = 0; i < n; ++i) {
                auto& argument = arguments[static_cast<std::size_t>(i)];
                if (!argument.is_number()) fail("diag takes numbers");
                value.at(i, i) = argument.elements[0];
            }
            return value;
        }
        if (name == "cross") {
            if (arguments.size() != 2 || arguments[0].elements.size() != 3 ||
                arguments[1].elements.size() != 3)
                fail("cross takes two vectors of 3 elements");
            return cross(arguments[0], arguments[1]);
        }
        if (arguments.size() != 1 || arguments[0].rows != arguments[0].columns)
            fail(name + " takes one square matrix");
        Matrix value;
        auto& of = arguments[0];
        if (name == "trace")
            for (int i = 0; i < of.rows; ++i)
                value.elements[0] = added(value.elements[0], of.at(i, i), Rational(1));
        else
            value.elements[0] = determinant(of);
        return value;
    }

    /// Along the first row.
    Polynomial determinant(const Matrix& of) {
        if (of.rows > 5) fail("det takes matrices up to 5 x 5");
        if (of.rows == 1) return of.elements[0];
        Polynomial result;
        for (int k = 0; k < of.columns; ++k) {
            Matrix minor(of.rows - 1, of.columns - 1);
            for (int i = 1; i < of.rows; ++i)
                for (int j = 0, to = 0; j < of.columns; ++j)
                    if (j != k) minor.at(i - 1, to++) = of.at(i, j);
            result = added(result, multiplied(of.at(0, k), determinant(minor)),
                           Rational(k % 2 == 0 ? 1 : -1));
        }
        return result;
    }

    Matrix cross(const Matrix& a, const Matrix& b) {
        Matrix value(3, 1);
        for (std::size_t i = 0; i < 3; ++i) {
            std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
            value.elements[i] = added(multiplied(a.elements[j], b.elements[k]),
                                      multiplied(a.elements[k], b.elements[j]), Rational(-1));
        }
        return value;
    }

    Matrix added(const Matrix& a, const Matrix& b, const Rational& scale) {
        if (a.rows != b.rows || a.columns != b.columns)
            fail("a matrix of " + a.shape() + " and one of " + b.shape() + " cannot be added");
        Matrix value = a;
        for (std::size_t i = 0; i < a.elements.size(); ++i)
            value.elements[i] = added(a.elements[i], b.elements[i], scale);
        return value;
    }
    static Polynomial added(Polynomial a, const Polynomial& b, const Rational& scale) {
        for (auto& [monomial, coefficient] : b) {
            auto& mine = a[monomial];
            mine = CoefficientPool::add(mine, coefficient, scale);
            if (mine.empty()) a.erase(monomial);
        }
        return a;
    }

    /// The sum that a number without unknowns is; null if it is something else, or zero.
    [[nodiscard]] static const Sum* constant_of(const Matrix& value) {
        if (!value.is_number() || value.elements[0].size() != 1) return nullptr;
        auto& [monomial, coefficient] = *value.elements[0].begin();
        return monomial.degree() == 0 && coefficient.size() == 1 ? &coefficient : nullptr;
    }
    Matrix scaled(Matrix value, const Sum& by) {
        for (auto& element : value.elements)
            for (auto& [monomial, coefficient] : element)
                coefficient = system_.pool.multiply(coefficient, by);
        return value;
    }
    Matrix multiplied(const Matrix& a, const Matrix& b) {
        if (a.is_number() || b.is_number()) {
            Matrix value = a.is_number() ? b : a;
            const Polynomial& by = (a.is_number() ? a : b).elements[0];
            for (auto& element : value.elements) element = multiplied(element, by);
            return value;
        }
        if (a.columns != b.rows)
            fail("a matrix of " + a.shape() + " and one of " + b.shape() + " cannot be multiplied");
        Matrix value(a.rows, b.columns);
        for (int i = 0; i < a.rows; ++i)
            for (int j = 0; j < b.columns; ++j)
                for (int k = 0; k < a.columns; ++k)
                    value.at(i, j) =
                        added(value.at(i, j), multiplied(a.at(i, k), b.at(k, j)), Rational(1));
        return value;
    }
    Polynomial multiplied(const Polynomial& a, const Polynomial& b) {
        if (a.empty() || b.empty()) return {};
        if (a.begin()->first.degree() + b.begin()->first.degree() > kMostDegree)
            fail("a polynomial of a degree above " + std::to_string(kMostDegree));
        constexpr std::size_t kMostProducts = 1'000'000;
        if (a.size() * b.size() > kMostProducts)
            fail("a product of polynomials of " + std::to_string(a.size()) + " and " +
                 std::to_string(b.size()) + " terms is too large");
        Polynomial result;
        for (auto& [left, x] : a)
            for (auto& [right, y] : b) {
                auto& sum = result[left * right];
                sum = CoefficientPool::add(sum, system_.pool.multiply(x, y), Rational(1));
            }
        std::erase_if(result, [](auto& term) { return term.second.empty(); });
        if (result.size() > kMostTerms)
            fail("a polynomial of more than " + std::to_string(kMostTerms) + " terms");
        return result;
    }

    std::string file_;
    PolynomialSystem system_;
    std::map<std::string, Matrix> known_;
    std::string_view line_;
    int line_number_ = 0;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

std::vector<Monomial> monomials_up_to(int degree, int n_unknowns) {
    double count = 1;  // the binomial coefficient of degree + unknowns over unknowns
    for (int i = 1; i <= n_unknowns; ++i) count *= static_cast<double>(degree + i) / i;
    if (count > 20'000)
        throw UserError("there are too many monomials of " + std::to_string(n_unknowns) +
                        " unknowns up to degree " + std::to_string(degree) +
                        "; state the system with fewer unknowns or equations of lower degree");
    std::set<Monomial, std::greater<>> all = {Monomial()};
    for (int d = 0; d < degree; ++d) {
        auto before = all;
        for (auto& monomial : before)
            for (int i = 0; i < n_unknowns; ++i) all.insert(monomial * Monomial::unknown(i));
    }
    return {all.begin(), all.end()};
}

std::vector<std::map<Monomial, Residue, std::greater<>>> PolynomialSystem::with(
    const std::vector<Residue>& parameter_values) const {
    auto sums = pool.values(parameter_values);
    std::vector<std::map<Monomial, Residue, std::greater<>>> result;
    for (auto& equation : equations) {
        auto& into = result.emplace_back();
        for (auto& [monomial, coefficient] : equation) {
            auto value = CoefficientPool::value(coefficient, parameter_values, sums);
            if (!value.is_zero()) into[monomial] = value;
        }
    }
    return result;
}

PolynomialSystem read_system(const std::string& text, const std::string& file) {
    return SystemReader(file).read(text);
}

}  // namespace tl::minimal
