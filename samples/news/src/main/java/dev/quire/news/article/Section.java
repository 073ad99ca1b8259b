package dev.quire.news.article;

import java.util.Arrays;
import java.util.Optional;

/** A section of the paper; {@code sid} is its number in URLs. */
public enum Section {
    POLITICS(100, "Politics", "정치", "#29524a"),
    ECONOMY(101, "Economy", "경제", "#7a5c1e"),
    SOCIETY(102, "Society", "사회", "#4a5568"),
    LIFE(103, "Life & Weather", "생활", "#2b6f8f"),
    SCIENCE(105, "Air & Science", "과학", "#3f4e8c"),
    ENTERTAINMENT(106, "Entertainment", "연예", "#8c3f63"),
    SPORT(107, "Sport", "스포츠", "#2f6b3a");

    private final int sid;
    private final String title;
    private final String korean;
    private final String colour;

    Section(int sid, String title, String korean, String colour) {
        this.sid = sid;
        this.title = title;
        this.korean = korean;
        this.colour = colour;
    }

    public int sid() {
        return sid;
    }

    public String title() {
        return title;
    }

    public String korean() {
        return korean;
    }

    /** CSS colour of the section's illustrations. */
    public String colour() {
        return colour;
    }

    /** Returns the section numbered {@code sid}, or empty if it does not exist. */
    public static Optional<Section> ofSid(int sid) {
        return Arrays.stream(values()).filter(section -> section.sid == sid).findFirst();
    }
}
