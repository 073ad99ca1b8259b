package dev.quire.news.election;

/**
 * The headline of the night, generated from the figures.
 *
 * @param words the line in large letters
 * @param second the sentence under it
 */
record Headline(String words, String second) {
    private static final double CLOSE_POINTS = 0.8;

    static Headline of(Count count) {
        var national = count.national();
        if (national.ballots() == 0) {
            return new Headline(
                    "Polls are closed, the boxes are on their way",
                    "%s ballots were cast, a turnout of %s%%."
                            .formatted(
                                    Figures.count(count.ballots()),
                                    Figures.percent(count.turnout())));
        }
        return new Headline(words(count, national), second(count, national));
    }

    private static String words(Count count, Tally national) {
        String lead = Figures.count(national.lead());
        String leader = national.leader().label();
        if (count.isComplete()) {
            return "%s finishes first by %s votes".formatted(leader, lead);
        }
        String counted = Figures.percent(count.progress());
        return national.leadPoints() < CLOSE_POINTS
                ? "Neck and neck: %s and %s only %s votes apart"
                        .formatted(leader, national.second().label(), lead)
                : "%s ahead by %s votes with %s%% counted".formatted(leader, lead, counted);
    }

    private static String second(Count count, Tally national) {
        var closest = count.closest();
        return "%s leads in %d of %d regions, %s in %d. Closest is %s, where %s votes decide."
                .formatted(
                        national.leader().label(),
                        count.regionsLed(national.leader()),
                        count.regions().size(),
                        national.second().label(),
                        count.regionsLed(national.second()),
                        closest.region().english(),
                        Figures.count(closest.tally().lead()));
    }
}
