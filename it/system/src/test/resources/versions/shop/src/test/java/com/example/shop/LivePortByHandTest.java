package com.example.shop;

import dev.quire.test.EsiSite;
import dev.quire.test.junit.TestedSite;
import dev.quire.test.spring.EsiMode;

class LivePortByHandTest extends ShopPages {
    @TestedSite
    static EsiSite site() {
        return Started.site(EsiMode.LIVE);
    }
}
