package dev.quire.news.writing;

import dev.quire.news.place.Atlas;
import dev.quire.news.place.District;
import java.util.List;

/** Writes texts of one kind, the same for the same number. Not thread-safe. */
final class Writer {
    private final String kind;
    private final Manuscript manuscript;
    private final Research research;

    /**
     * A text.
     *
     * @param paragraphs one of the wordings of each
     */
    record Text(Facts facts, String headline, String standfirst, List<String> paragraphs) {
        District town() {
            return facts.value("town", District.class);
        }
    }

    /**
     * @param kind of which the dice depend
     * @param file the name of the manuscript
     */
    Writer(String kind, String file, Atlas atlas) {
        this.kind = kind;
        this.manuscript = Manuscript.read(file);
        this.research = new Research(manuscript, atlas, Dice.of(kind, 0));
    }

    /** Returns text {@code number}, counting from 0. */
    Text text(int number) {
        var dice = Dice.of(kind, number);
        var facts = research.facts(number, dice);
        var district = facts.value("town", District.class);
        facts.with("district", district.name()).with("region", district.region().english());
        return new Text(
                facts,
                dice.oneOf(manuscript.headline()).tell(facts, dice),
                dice.oneOf(manuscript.standfirst()).tell(facts, dice),
                manuscript.paragraphs().stream()
                        .map(paragraph -> dice.oneOf(paragraph).tell(facts, dice))
                        .toList());
    }
}
