package dev.quire.news.writing;

import dev.quire.news.place.Atlas;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * Computes the facts of one kind of story from the expressions in its file, which call the public
 * methods here: the same for the same number and dice. Not thread-safe.
 */
final class Research {
    private static final LocalDate ELECTION_DAY = LocalDate.of(2012, 12, 19);
    private static final LocalDate FIRST_DAY = LocalDate.of(2012, 11, 20);
    private static final DateTimeFormatter WEEKDAY =
            DateTimeFormatter.ofPattern("EEEE d MMMM", Locale.ENGLISH);
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("d MMMM", Locale.ENGLISH);

    private final Manuscript manuscript;
    private final StandardEvaluationContext context = new StandardEvaluationContext(this);
    private Dice dice;

    /**
     * Research for all articles of one kind.
     *
     * @param first the dice of the first of them
     */
    Research(Manuscript manuscript, Atlas atlas, Dice first) {
        this.manuscript = manuscript;
        this.dice = first;
        context.setVariable("towns", atlas.districts());
        context.setVariable("electionDay", ELECTION_DAY);
        context.setVariable("firstDay", FIRST_DAY);
        context.setVariable("rows", manuscript.rows());
        manuscript.setting().forEach(fact -> context.setVariable(fact.name(), fact.in(context)));
    }

    /** The facts of article {@code number}, counting from 0. */
    Facts facts(int number, Dice thrown) {
        dice = thrown;
        context.setVariable("number", number);
        var facts = new Facts();
        for (var fact : manuscript.facts()) {
            var value = fact.in(context);
            context.setVariable(fact.name(), value);
            facts.with(fact.name(), value);
        }
        return facts;
    }

    /** A number from {@code low} to {@code high}, both included. */
    public int between(int low, int high) {
        return dice.between(low, high);
    }

    public Object oneOf(List<?> choices) {
        return dice.oneOf(choices);
    }

    /** A permutation of 0 to {@code size - 1} that puts adjacent numbers far apart. */
    public int spread(int number, int size) {
        int step = size * 5 / 8 | 1;
        while (gcd(step, size) != 1) {
            step += 2;
        }
        return (int) ((long) number * step % size);
    }

    private static int gcd(int a, int b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    public int max(int a, int b) {
        return Math.max(a, b);
    }

    public int min(int a, int b) {
        return Math.min(a, b);
    }

    public int abs(int number) {
        return Math.abs(number);
    }

    /** A price to tens below 10,000 won, to hundreds above. */
    public int round(int won) {
        int step = won < 10_000 ? 10 : 100;
        return won / step * step;
    }

    /** A number of tenths, printed with one decimal. */
    public String tenths(long tenths) {
        return String.format(Locale.ROOT, "%,.1f", tenths / 10.0).replace('-', '−');
    }

    public String degrees(int celsius) {
        return celsius < 0 ? "−" + -celsius + "°C" : celsius + "°C";
    }

    public String hour(int hour) {
        if (hour == 12) {
            return "noon";
        }
        return hour < 12 ? hour + " a.m." : hour - 12 + " p.m.";
    }

    public String weekday(LocalDate day) {
        return WEEKDAY.format(day);
    }

    public String date(LocalDate day) {
        return DATE.format(day);
    }

    public LocalDate someDay() {
        return FIRST_DAY.plusDays(between(0, 28));
    }

    /** A moment of the weeks before the evening of election day. */
    public LocalDateTime someTime(LocalDate day) {
        int lastHour = day.equals(ELECTION_DAY) ? 17 : 21;
        return day.atTime(between(6, lastHour), between(0, 59));
    }
}
