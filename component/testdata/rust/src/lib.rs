//! Orders of a shop: records, variants, lists, options and a resource in both directions.

wit_bindgen::generate!({ world: "orders", path: "wit" });

use example::orders::prices::price;
use exports::example::orders::shop::{Guest, GuestOrder, Line, Order, Refusal};
use std::cell::{Cell, RefCell};

thread_local! {
    static OPEN: Cell<u32> = const { Cell::new(0) };
}

struct Shop;

struct OpenOrder {
    customer: String,
    lines: RefCell<Vec<Line>>,
    total: Cell<u64>,
}

impl Guest for Shop {
    type Order = OpenOrder;

    fn open_orders() -> u32 {
        OPEN.get()
    }
}

impl GuestOrder for OpenOrder {
    fn new(customer: String) -> Self {
        OPEN.set(OPEN.get() + 1);
        OpenOrder { customer, lines: RefCell::default(), total: Cell::default() }
    }

    fn add(&self, line: Line) -> Result<u64, Refusal> {
        if line.count == 0 {
            return Err(Refusal::Empty);
        }
        let price = price(&line.item).map_err(Refusal::Unknown)?;
        self.total.set(self.total.get() + price * u64::from(line.count));
        self.lines.borrow_mut().push(line);
        Ok(self.total.get())
    }

    fn lines(&self) -> Vec<Line> {
        self.lines.borrow().clone()
    }

    fn close(order: Order) -> (String, u64) {
        let order: OpenOrder = order.into_inner();
        (order.customer.clone(), order.total.get())
    }
}

impl Drop for OpenOrder {
    fn drop(&mut self) {
        OPEN.set(OPEN.get() - 1);
    }
}

export!(Shop);
